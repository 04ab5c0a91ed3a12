// @module-tag long
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";

describe.runIf(hasBrowser)("the guide", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Acme");
  });
  afterAll(() => dashboard.close());

  async function openGuide(path: string, options: Parameters<Dashboard["signedOut"]>[0] = {}): Promise<Page> {
    const page = await (await dashboard.signedOut(options)).newPage();
    await page.goto(`${dashboard.url}/guide${path}`);
    return page;
  }

  test("opens beside the dashboard, and its pages lead to each other", async () => {
    const screen = await dashboard.open();
    const opened = screen.context().waitForEvent("page");
    await screen.getByRole("link", { name: "Guide", exact: true }).click();
    const page = await opened;
    await page.getByRole("heading", { level: 1, name: "Guides" }).waitFor();
    await page
      .getByRole("navigation", { name: "Pages", exact: true })
      .getByRole("link", { name: "Quick start" })
      .click();
    await page.getByRole("heading", { level: 1, name: "Quick start" }).waitFor();
    await page.getByRole("link", { name: "Install →" }).click();
    await page.getByRole("link", { name: "Concepts →" }).click();
    await page.getByRole("heading", { level: 1, name: "Concepts" }).waitFor();
  });

  test.each([
    { colorScheme: "light", width: 1280 },
    { colorScheme: "dark", width: 390 },
  ] as const)("is accessible and keeps to its content security policy: %o", async ({ colorScheme, width }) => {
    const page = await (await dashboard.signedOut({ colorScheme, viewport: { width, height: 844 } })).newPage();
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", ({ message }) => problems.push(message));
    for (const path of ["", "/quick-start", "/concepts", "/search?q=segment"]) {
      await page.goto(`${dashboard.url}/guide${path}`);
      await expectAccessible(page);
      const widths = await page.evaluate<number[]>("[document.documentElement.scrollWidth, window.innerWidth]");
      expect([path, problems, widths[0]]).toEqual([path, [], widths[1]]);
    }
    await page.context().close();
  });

  test("works without scripts: the search shows sections that fit", async () => {
    const page = await openGuide("", { javaScriptEnabled: false });
    await page.getByRole("searchbox", { name: "Search the guides" }).fill("journey record");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Concepts: The journey of a record" }).click();
    await page.waitForURL(/\/guide\/concepts#the-journey-of-a-record$/);
  });

  test("a block of code is copied", async () => {
    const page = await openGuide("/quick-start", { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe("npm ci && npm start\n");
  });

  test("on a phone, the list of pages is closed until it is opened", async () => {
    const page = await openGuide("/quick-start", { viewport: { width: 390, height: 844 } });
    const link = page.getByRole("navigation", { name: "Pages", exact: true }).getByRole("link", { name: "Concepts" });
    await link.waitFor({ state: "hidden" });
    await page.getByText("All pages").click();
    await link.waitFor();
  });
});
