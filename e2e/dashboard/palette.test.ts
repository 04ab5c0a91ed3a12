// @module-tag long
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { personOf } from "./kit/people.js";
import { Sender } from "./kit/sender.js";

describe.runIf(hasBrowser)("the palette", () => {
  let demo: Dashboard;
  let dashboard: Dashboard;
  beforeAll(async () => {
    [demo, dashboard] = await Promise.all([Dashboard.onDemo(), Dashboard.onNew("Acme")]);
  });
  afterAll(() => Promise.all([demo.close(), dashboard.close()]));

  async function openPalette(page: Page) {
    await page.getByRole("button", { name: /Find or do/ }).waitFor();
    await page.keyboard.press("Control+k");
    const box = page.getByRole("combobox", { name: "Find or do" });
    await box.waitFor();
    return box;
  }

  test("it finds a user as the e-mail is typed, and Enter opens the user", async () => {
    const page = await demo.open();
    const box = await openPalette(page);
    const { email, name } = personOf(123);
    await box.pressSequentially(email.slice(0, -6));
    await page.getByRole("option", { name: new RegExp(`^${name} ?${email}$`) }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/users\/[0-9a-f]{24}$/);
    await box.waitFor({ state: "detached" });
  });

  test("it finds a user by the external id and by the name", async () => {
    const page = await demo.open();
    const box = await openPalette(page);
    const { userId, email, name } = personOf(77);
    await box.fill(userId);
    await page.getByRole("option", { name: new RegExp(email) }).waitFor();
    await box.fill(name);
    await page
      .getByRole("group", { name: "Users" })
      .getByRole("option", { name: new RegExp(`^${name}`) })
      .first()
      .waitFor();
  });

  test("people and accounts are called as on every screen", async () => {
    const sender = await Sender.connect(dashboard);
    await sender.send(
      sender.entry("traits", "ada", { name: "", first_name: "Ada", last_name: "Byron" }),
      sender.entry("track", { anonymous_id: "visitor-of-the-palette" }, { event: "Visited" }),
    );
    const find = async (query: object) => {
      const body = { query, include: ["id"] };
      const { data } = await dashboard.api<{ data: { id: string }[] }>("POST", "/search/user_reports", body);
      return data[0]?.id;
    };
    const visitor = { term: { anonymous_ids: "visitor-of-the-palette" } };
    await expect.poll(() => find(visitor), PATIENCE).toBeDefined();
    const id = (await find(visitor)) ?? "";
    const page = await dashboard.open();
    const box = await openPalette(page);
    await box.fill("Byron");
    await page.getByRole("option", { name: /^Ada Byron ?ada$/ }).waitFor();
    await box.fill(id);
    await page.getByRole("option", { name: `Anonymous …${id.slice(-6)}` }).waitFor();
  });

  test("screens and segments are found and opened with the keyboard alone", async () => {
    await dashboard.api("POST", "/users_segments", { name: "Big spenders", query: {}, predicate: {} });
    const page = await dashboard.open();
    let box = await openPalette(page);
    await box.fill("platf");
    await page.getByRole("option", { name: "Platforms", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Platforms" }).waitFor();

    box = await openPalette(page);
    await box.fill("spend");
    await page.getByRole("option", { name: /^Big spenders/, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/segments\/[0-9a-f]{24}$/);
  });

  test("arrows move the selected line, Escape closes, and nothing found is said", async () => {
    const page = await dashboard.open();
    const box = await openPalette(page);
    await page.getByRole("option", { name: "Home", selected: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "Users", selected: true }).waitFor();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await page.getByRole("option", { selected: true }).and(page.getByRole("option").last()).waitFor();
    await page.getByRole("option", { name: "Sign out" }).waitFor();
    await box.fill("zzzz");
    await page.getByText("Nothing has these words").waitFor();
    await page.keyboard.press("Escape");
    await box.waitFor({ state: "detached" });
  });

  test("commands are done, such as other colours", async () => {
    const page = await dashboard.open();
    const box = await openPalette(page);
    await box.fill("dark");
    await page.keyboard.press("Enter");
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: /Find or do/ }).click();
    await page.getByRole("combobox", { name: "Find or do" }).fill("new platform");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Create a platform" }).waitFor();
    expect(page.url()).toContain("/platforms?new=1");
  });
});
