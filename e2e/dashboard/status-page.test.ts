// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";

describe.runIf(hasBrowser)("the status page", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Acme");
  });
  afterAll(() => dashboard.close());

  test.each([
    ["light", 1280],
    ["dark", 390],
  ] as const)("can be read in the %s scheme, %d pixels wide, without scripts", async (colorScheme, width) => {
    const look = { colorScheme, viewport: { width, height: 700 } };
    const withoutScripts = await (await dashboard.signedOut({ ...look, javaScriptEnabled: false })).newPage();
    await withoutScripts.goto(`${dashboard.url}/status`);
    await withoutScripts.getByText("Searches and segments").waitFor();

    const page = await (await dashboard.signedOut(look)).newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(`${dashboard.url}/status`);
    expect(await page.getByRole("heading").count()).toBe(1);
    expect(await page.getByRole("listitem").count()).toBe(4);
    const isTooWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    expect(await page.evaluate(isTooWide)).toBe(false);
    await expectAccessible(page);
    // A style that the policy refuses would be a complaint.
    expect(complaints).toEqual([]);
  });
});
