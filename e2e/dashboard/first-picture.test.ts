// @module-tag long
import type { BrowserContext, Page } from "playwright-core";
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

  test("asks early for nothing that it does not use, and for no schema twice", async () => {
    const { data } = await demo.api<{ data: { id: string }[] }>("POST", "/search/user_reports", { per_page: 1 });
    const [segment] = await demo.api<{ id: string }[]>("GET", "/segments");
    const [connector] = await demo.api<{ id: string }[]>("GET", "/connectors");
    const paths = [
      "",
      "/users",
      "/users?q=an&sort=name",
      `/users/${data[0]?.id}`,
      `/users/${data[0]?.id}?kinds=event`,
      "/accounts",
      "/segments",
      "/segments/new",
      `/segments/${segment?.id}`,
      "/insights",
      "/events?tab=history",
      "/events?tab=names",
      "/attributes",
      "/attributes?tab=accounts",
      "/connectors",
      `/connectors/${connector?.id}?tab=settings`,
      "/platforms",
      "/settings?tab=audit",
    ];
    for (const path of paths) {
      const page = await context.newPage();
      const schemas: string[] = [];
      page.on("request", (request) => {
        if (new URL(request.url()).pathname.endsWith("/schema")) schemas.push(request.url());
      });
      await page.goto(demo.address(path));
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
      const asked = await marked(page, "asked");
      expect(asked).toContain("/api/v1/overview/health");
      await expect.poll(() => marked(page, "used"), { ...PATIENCE, message: path }).toEqual(asked);
      expect(new Set(schemas).size).toBe(schemas.length);
      await page.close();
    }
  });

  test("asks a list, a chart and the latest events before they are drawn, with the token of the session", async () => {
    for (const [path, question] of [
      ["/users", "/api/v1/search/subjects"],
      ["/accounts", "/api/v1/search/subjects"],
      ["/insights", "/api/v1/insights/trend"],
      ["/events?tab=history", "/api/v1/search/events"],
    ] as const) {
      const page = await context.newPage();
      const statuses: number[] = [];
      page.on("response", (response) => {
        if (new URL(response.url()).pathname === question) statuses.push(response.status());
      });
      await page.goto(demo.address(path));
      await expect.poll(() => marked(page, "used"), { ...PATIENCE, message: path }).toContain(question);
      await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
      expect(statuses).toEqual([200]);
      await page.close();
    }
  });

  test("shows examples of a segment that do not wait for its number", async () => {
    const page = await context.newPage();
    await page.route("**/api/v1/segments/count", () => undefined);
    await page.goto(demo.address("/segments/new"));
    await page.getByTestId("segment-sample").locator("li").first().waitFor();
    expect(await page.getByTestId("segment-count").textContent()).toBe("…");
    await page.close();
  });

  test("asks for the examples of a saved segment while its filter is read", async () => {
    const own = await Dashboard.onNew("Examples");
    try {
      const predicate = { type: "all", predicates: [] };
      const { id } = await own.api<{ id: string }>("POST", "/users_segments", { name: "All", query: {}, predicate });
      const page = await own.windowOfTest();
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route("**/api/v1/segments/convert", (route) => held.then(() => route.continue()));
      const asked = page.waitForRequest("**/api/v1/segments/preview");
      await page.goto(own.address(`/segments/${id}`));
      const body = (await asked).postData();
      const used = page.waitForRequest("**/api/v1/segments/preview");
      release();
      // The screen asks the same, and not something else.
      expect((await used).postData()).toBe(body);
      await page.getByTestId("segment-count").getByText("0", { exact: true }).waitFor();
    } finally {
      await own.close();
    }
  });

  test("asks for no list when nobody is signed in", async () => {
    const stranger = await demo.signedOut();
    const page = await stranger.newPage();
    await page.goto(demo.address("/users"));
    await page.getByRole("textbox").first().waitFor();
    expect(await marked(page, "asked")).toContain("/api/v1/session");
    expect(await marked(page, "asked")).not.toContain("/api/v1/search/subjects");
    await stranger.close();
  });
});

/** The calls of a page that were begun early, or whose answers were then used. */
function marked(page: Page, word: "asked" | "used"): Promise<string[]> {
  return page.evaluate(
    (start) =>
      performance
        .getEntriesByType("mark")
        .filter(({ name }) => name.startsWith(start))
        .map(({ name }) => name.slice(start.length))
        .sort(),
    `${word} early: `,
  );
}
