// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Credentials } from "../support/credentials.js";
import { userEntry } from "../support/entries.js";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { sendEntries } from "./kit/send-entries.js";

describe.runIf(hasBrowser)("undoing what a connector wrote", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew();
  });
  afterAll(() => dashboard.close());

  const connect = (name: string) => dashboard.api<Credentials>("POST", "/connectors", { name });
  const ranks = async () => {
    const query = { query: { exists: { field: "external_id" } }, sort: { external_id: "asc" } };
    const { data } = await dashboard.api<{ data: { traits_rank?: string }[] }>("POST", "/search/user_reports", query);
    return data.map(({ traits_rank }) => traits_rank);
  };

  test("a range of time is chosen, what would happen is shown, and then it happens", async () => {
    const [first, second] = [await connect("First"), await connect("Second")];
    await sendEntries(dashboard, first, [userEntry(first, "u1", "traits", { rank: "old" })]);
    await sendEntries(dashboard, second, [
      userEntry(second, "u1", "traits", { rank: "new" }),
      userEntry(second, "u2", "traits", { rank: "new" }),
    ]);
    await expect.poll(ranks, PATIENCE).toEqual(["new", "new"]);

    const page = await dashboard.open(`/connectors/${second.id}`);
    await page.getByRole("button", { name: "More actions for Second" }).click();
    await page.getByRole("menuitem", { name: "Undo what it wrote" }).click();
    const dialog = page.getByRole("dialog", { name: "Undo what Second wrote" });
    await dialog.getByLabel("To").fill("2020-01-01T00:00:00");
    await dialog.getByText("It is before the beginning.").waitFor();
    expect(await dialog.getByRole("button", { name: "Look what would happen" }).isDisabled()).toBe(true);
    await dialog.getByLabel("To").fill("");
    await expectAccessible(page);

    await dialog.getByRole("button", { name: "Look what would happen" }).click();
    await dialog.getByText("What will happen").waitFor();
    await dialog.getByText("1 value returns to what it was.").waitFor();
    await dialog.getByText("1 user or account that existed only because of it is removed.").waitFor();
    await dialog.getByText("rank: new → old").waitFor();
    expect(await ranks()).toEqual(["new", "new"]);

    await dialog.getByRole("button", { name: "Undo these writes" }).click();
    await dialog.getByText("What has happened").waitFor();
    await expect.poll(ranks, PATIENCE).toEqual(["old"]);
  });

  test("an editor cannot begin it", async () => {
    const { id } = await connect("Third");
    const page = await dashboard.open(`/connectors/${id}`, await dashboard.signInAs("editor"));
    await page.getByRole("button", { name: "More actions for Third" }).click();
    expect(await page.getByRole("menuitem", { name: "Undo what it wrote" }).isDisabled()).toBe(true);
  });
});
