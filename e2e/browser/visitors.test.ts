import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { hasBrowser, type Platform, Website } from "./website.js";

const SHOP = "shop.test";
interface Event {
  event: string;
  user_id: string;
  anonymous_id: string;
  properties: object;
}

describe.runIf(hasBrowser)("a page with the snippet", () => {
  let website: Website;
  let platform: Platform;

  beforeAll(async () => {
    website = await Website.open();
    platform = await website.createPlatform([SHOP]);
    website.pages.set("/", { html: `<!doctype html><title>Shop</title>${website.snippet(platform)}<h1>Shop</h1>` });
  });
  afterAll(() => website?.close());

  const eventsOf = (event: string) => website.search<Event>("events", { term: { event } });

  test("makes its visitor a user, and records what the visitor does", async () => {
    const page = await website.visit(website.address(SHOP));
    await page.evaluate(`
      window.heard = [];
      for (const name of ["svc.track", "svc.traits"]) window.Svc.on(name, function (event) { heard.push([this.event, event]); });
    `);
    expect(await page.evaluate('window.Svc.track("Opened shop", { from: "test" })')).toBe(true);
    await page.evaluate('window.Svc.traits({ plan: "pro", visits: { value: 2, operation: "inc" } })');
    expect(await page.evaluate("window.heard")).toEqual([
      ["svc.track", { from: "test" }],
      ["svc.traits", { plan: "pro", visits: { value: 2, operation: "inc" } }],
    ]);
    const [event] = await vi.waitFor(async () => {
      const found = await eventsOf("Opened shop");
      expect(found).toHaveLength(1);
      return found;
    }, PATIENCE);
    expect(event).toMatchObject({ properties: { from: "test" }, context: { page: { url: website.address(SHOP) } } });
    const [user] = await vi.waitFor(async () => {
      const found = await website.search("user_reports", { term: { anonymous_ids: event?.anonymous_id } });
      expect(found).toMatchObject([{ traits_plan: "pro", traits_visits: 2 }]);
      return found;
    }, PATIENCE);
    expect(user).toMatchObject({ id: event?.user_id });
  });

  test("knows its visitor on the next page", async () => {
    const context = await website.browser.newContext();
    for (const name of ["First page", "Second page"]) {
      const page = await website.visit(website.address(SHOP), context);
      await page.evaluate(`window.Svc.track(${JSON.stringify(name)})`);
      await page.close();
    }
    await vi.waitFor(async () => {
      const [[first], [second]] = [await eventsOf("First page"), await eventsOf("Second page")];
      expect(first?.anonymous_id).toEqual(expect.any(String));
      expect(second?.anonymous_id).toBe(first?.anonymous_id);
    }, PATIENCE);
  });

  test("sees no error of the library, whatever the page forgets to handle", async () => {
    const context = await website.browser.newContext();
    const page = await website.visit(website.address(SHOP), context);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    const outcomes = await page.evaluate(`(async () => {
      window.unhandled = [];
      window.addEventListener("unhandledrejection", ({ reason }) => window.unhandled.push(String(reason)));
      const { Svc } = window;
      const bad = { get boom() { throw new Error("boom"); } };
      const calls = () => [
        Svc.track(), Svc.track("x", "text"), Svc.track("x", bad), Svc.traits(), Svc.traits(null), Svc.alias("a b"),
        Svc.login(), Svc.login({}), Svc.login({ access_token: "a.b.c" }), Svc.embed(), Svc.embed([null]),
      ];
      calls();
      const codes = await Promise.all(calls().map((call) => call.then(() => "fine", (error) => error.code)));
      Svc.trackForm(null, "x");
      Svc.onEmbed();
      Svc.optOut();
      calls();
      Svc.track("x");
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { codes, unhandled: window.unhandled };
    })()`);
    const wrong = "invalid_argument";
    expect(outcomes).toEqual({
      codes: [...Array.from({ length: 8 }, () => wrong), "unauthorized", wrong, wrong],
      unhandled: [],
    });
    expect(errors).toEqual([]);
  });

  test("with wrong options, or an unavailable server, sees no error either", async () => {
    const page = await (await website.browser.newContext()).newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    website.pages.set("/manual", {
      html: `<!doctype html><script src="${website.organizationUrl}/js/latest/muster.js"></script>`,
    });
    await page.goto(website.address(SHOP, "/manual"));
    const outcome = await page.evaluate(`(async () => {
      const { Svc } = window;
      const codeOf = (promise) => promise.then(() => "fine", (error) => error.code);
      const wrong = Svc.init({ platformId: "x" });
      wrong.track("x");
      delete window.Svc;
      const codes = [await codeOf(wrong.ready()), await codeOf(wrong.track("x")), await codeOf(wrong.login({ access_token: "t" }))];
      window.Svc = undefined;
      const away = Svc.init({ platformId: "x", orgUrl: "http://127.0.0.1:9" });
      away.track("x");
      codes.push(await codeOf(away.ready()));
      await new Promise((resolve) => setTimeout(resolve, 100));
      return codes;
    })()`);
    expect(outcome).toEqual(["invalid_argument", "invalid_argument", "invalid_argument", "unreachable"]);
    expect(errors).toEqual([]);
  });

  test("starts when the server is there at last, and sends what waited", async () => {
    const context = await website.browser.newContext();
    await context.route("**/page", (route) => route.abort());
    const page = await context.newPage();
    await page.goto(website.address(SHOP));
    await page.waitForFunction("window.Svc && window.Svc.ready");
    await page.evaluate(`(() => {
      window.Svc.ready(() => { window.isReady = true; });
      window.Svc.track("Waited for the server");
    })()`);
    expect(await page.evaluate("window.Svc.ready().catch((error) => error.code)")).toBe("unreachable");
    await context.unroute("**/page");
    await page.waitForFunction("window.isReady");
    await vi.waitFor(async () => expect(await eventsOf("Waited for the server")).toHaveLength(1), PATIENCE);
    expect(await page.evaluate("window.Svc.ready().then(({ app }) => app.name)")).toBe("Shop");
  });

  test("that holds the script twice has one client, and one global variable", async () => {
    website.pages.set("/empty", { html: "<!doctype html>" });
    website.pages.set("/twice", { html: `<!doctype html>${website.snippet(platform)}` });
    const plain = await (await website.browser.newContext()).newPage();
    await plain.goto(website.address(SHOP, "/empty"));
    const before = (await plain.evaluate("Object.keys(window)")) as string[];
    const page = await website.visit(website.address(SHOP, "/twice"));
    const added = await page.evaluate(`(async () => {
      const first = window.Svc;
      const script = document.createElement("script");
      script.src = "${website.organizationUrl}/js/latest/muster.js";
      script.dataset.platformId = "${platform.id}";
      script.dataset.orgUrl = "${website.organizationUrl}";
      await new Promise((resolve) => { script.onload = resolve; document.head.append(script); });
      let isImmediate = false;
      first.ready(() => { isImmediate = true; });
      return [window.Svc === first, isImmediate, Object.keys(window).filter((name) => !${JSON.stringify(before)}.includes(name))];
    })()`);
    expect(added).toEqual([true, true, ["Svc"]]);
  });

  test("can read why a request was refused", async () => {
    const page = await website.visit(website.address(SHOP));
    const status = await page.evaluate(`fetch("${website.organizationUrl}/api/v1/${platform.id}/records", {
      method: "POST", body: "x".repeat(200000) }).then(({ status }) => status)`);
    expect(status).toBe(413);
  });

  test("of another domain is refused", async () => {
    const page = await (await website.browser.newContext()).newPage();
    await page.goto(website.address("evil.test"));
    await page.waitForFunction("window.Svc && window.Svc.ready");
    const code = await page.evaluate("window.Svc.ready().then(() => 'ready', (error) => error.code)");
    expect(code).toBe("unreachable");
  });
});
