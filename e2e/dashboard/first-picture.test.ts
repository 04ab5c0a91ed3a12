// @module-tag long
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, hasBrowser } from "./kit/dashboard.js";

describe.runIf(hasBrowser)("the first picture of a screen", () => {
  let demo: Dashboard;
  let context: BrowserContext;
  beforeAll(async () => {
    demo = await Dashboard.onDemo();
    context = await demo.signIn();
  });
  afterAll(() => demo.close());

  /** Opens a screen, while the answer about the session waits for `mayAnswer`. */
  async function openScreen(path: string, mayAnswer: Promise<void> = Promise.resolve()) {
    const page = await context.newPage();
    const scripts = new Set<string>();
    let sessions = 0;
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith(".js")) scripts.add(pathname);
      if (pathname === "/api/v1/session") sessions++;
    });
    await page.route("**/api/v1/session", async (route) => {
      await mayAnswer;
      await route.continue().catch(() => undefined);
    });
    await page.goto(demo.address(path));
    const drawn = async () => {
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
    };
    return { page, scripts, drawn, sessions: () => sessions };
  }

  test("needs no script that is found out about while it is drawn, and asks once who is signed in", async () => {
    const [connector] = await demo.api<{ id: string }[]>("GET", "/connectors");
    for (const [path, sign] of [
      ["/users", '[role="row"][aria-rowindex="2"]'],
      ["/insights", "canvas"],
      ["/events?tab=history", "main [role=tabpanel]:visible"],
      [`/connectors/${connector?.id}`, "main [role=tabpanel]:visible"],
      ["/settings?tab=audit", "main table tbody tr"],
    ] as const) {
      const whole = await openScreen(path);
      await whole.drawn();
      await whole.page.locator(sign).first().waitFor();
      expect(whole.sessions()).toBe(1);
      await whole.page.close();

      let answer = () => {};
      const held = await openScreen(
        path,
        new Promise((resolve) => {
          answer = resolve;
        }),
      );
      await expect.poll(() => [...whole.scripts].filter((script) => !held.scripts.has(script)), PATIENCE).toEqual([]);
      expect(await held.page.getByRole("heading", { level: 1 }).count()).toBe(0);
      answer();
      await held.drawn();
      await held.page.close();
    }
  });
});
