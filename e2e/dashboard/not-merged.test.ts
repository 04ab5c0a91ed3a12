// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { Sender } from "./kit/sender.js";

describe.runIf(hasBrowser)("users who are not merged again", () => {
  let dashboard: Dashboard;
  let sender: Sender;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew();
    sender = await Sender.connect(dashboard);
  });
  afterAll(() => dashboard.close());

  async function find(term: Record<string, string>): Promise<string | undefined> {
    const body = { query: { term } };
    const { data } = await dashboard.api<{ data: { id: string }[] }>("POST", "/search/user_reports", body);
    return data[0]?.id;
  }

  const byCookie = () => find({ anonymous_ids: "fair-1" });

  test("are listed until somebody removes the decision, after a question", async () => {
    await sender.send(
      sender.entry("traits", "ida", { name: "Ida" }),
      sender.entry("traits", { anonymous_id: "fair-1" }, { name: "Visitor of the fair" }),
    );
    await expect.poll(byCookie, PATIENCE).toBeDefined();
    await expect.poll(() => find({ external_id: "ida" }), PATIENCE).toBeDefined();
    const [ida, visitor] = [await find({ external_id: "ida" }), await byCookie()];
    await sender.send(sender.entry("alias", "ida", { anonymous_id: "fair-1" }));
    await expect.poll(byCookie, PATIENCE).toBe(ida);

    const nobody = await dashboard.open("/settings?tab=apart");
    await nobody.getByText("Nobody is kept apart").waitFor();
    await expectAccessible(nobody);
    await dashboard.api("POST", `/${ida}/unmerge`, { merged_id: visitor });
    await expect.poll(byCookie, PATIENCE).toBe(visitor);

    const name = /^Ida and Visitor of the fair Users/;
    const viewer = await dashboard.open("/settings?tab=apart", await dashboard.signInAs("viewer"));
    await viewer.getByRole("row", { name }).waitFor();
    expect(await viewer.getByRole("button", { name: /^Remove the decision/ }).count()).toBe(0);

    const page = await dashboard.open("/settings?tab=apart");
    const row = page.getByRole("row", { name });
    const link = row.getByRole("link", { name: "Visitor of the fair" });
    expect(await link.getAttribute("href")).toMatch(new RegExp(`/users/${visitor}$`));
    await expectAccessible(page);
    const remove = row.getByRole("button", { name: "Remove the decision about Ida and Visitor of the fair" });
    await remove.click();
    const dialog = page.getByRole("dialog", { name: "Remove the decision" });
    await dialog.getByText("Ida and Visitor of the fair stay two users until a record names both.").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await dashboard.api("GET", "/do_not_merge")).toMatchObject([{ subject_ids: [ida, visitor] }]);

    await remove.click();
    await dialog.getByRole("button", { name: "Remove the decision" }).click();
    await page.getByText("Ida and Visitor of the fair may be merged again").waitFor();
    await row.waitFor({ state: "detached" });
    expect(await dashboard.api("GET", "/do_not_merge")).toEqual([]);

    await page.goto(dashboard.address("/settings?tab=audit"));
    await page.getByText("Let two be merged again").waitFor();
  });
});
