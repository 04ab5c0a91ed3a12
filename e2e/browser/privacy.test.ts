// @module-tag long
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { hasBrowser, Website } from "./website.js";

const [SHOP, BLOG] = ["shop.test", "blog.test"];
describe.runIf(hasBrowser)("a visitor", () => {
  let website: Website;

  beforeAll(async () => {
    website = await Website.open();
  });
  afterAll(() => website?.close());

  async function show(path: string, settings: object = {}, html = ""): Promise<void> {
    const platform = await website.createPlatform([SHOP, BLOG], settings);
    website.pages.set(path, { html: `<!doctype html><body>${html}${website.snippet(platform)}` });
  }
  const stored = async (page: Page, context: BrowserContext) => [
    ...((await page.evaluate("Object.keys(localStorage)")) as string[]),
    ...(await context.cookies()).map(({ name }) => name),
  ];
  const eventsOf = (event: string) => website.search<{ anonymous_id: string }>("events", { term: { event } });

  test("is not recorded, and nothing is stored, before the visitor agrees", async () => {
    await show("/consent", { consent: "required" });
    const context = await website.browser.newContext();
    const sent: string[] = [];
    context.on("request", (request) =>
      sent.push(`${request.method()} ${new URL(request.url()).pathname.split("/").pop()}`),
    );
    const page = await website.visit(website.address(SHOP, "/consent"), context);
    await page.evaluate('void window.Svc.track("Before consent")');
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 300))");
    expect(await stored(page, context)).toEqual([]);
    expect(sent).toEqual(["GET consent", "GET muster.js", "GET page"]);
    await page.evaluate("window.Svc.optIn()");
    await vi.waitFor(async () => expect(await eventsOf("Before consent")).toHaveLength(1), PATIENCE);
    const next = await website.visit(website.address(SHOP, "/consent"), context);
    expect(await next.evaluate('window.Svc.track("After consent")')).toBe(true);
  });

  test("who opts out is forgotten, on this page and on the next ones", async () => {
    await show("/opt-out");
    const context = await website.browser.newContext();
    const page = await website.visit(website.address(SHOP, "/opt-out"), context);
    await page.evaluate('window.Svc.track("Before opting out")');
    await page.evaluate("window.Svc.optOut()");
    const next = await website.visit(website.address(SHOP, "/opt-out"), context);
    for (const shown of [page, next]) {
      const code = await shown.evaluate("window.Svc.track('x').then(() => 'sent', (error) => error.code)");
      expect(code).toBe("opted_out");
    }
    expect((await stored(next, context)).filter((name) => !name.startsWith("svc:page"))).toEqual(["svc:consent"]);
  });

  test("who opts out causes no errors in a page that does not wait for its calls", async () => {
    await show("/careless");
    const page = await website.visit(website.address(SHOP, "/careless"));
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    await page.evaluate("window.Svc.optOut()");
    const calls = [
      'track("x")',
      'track("")',
      "traits({ a: 1 })",
      'alias("b")',
      'login({ access_token: "t" })',
      "login()",
    ];
    for (const call of calls) await page.evaluate(`void window.Svc.${call}`);
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
    expect(errors).toEqual([]);
  });

  test.each([
    ["is followed when the platform says so", { respect_dnt: true }, "opted_out"],
    ["is not followed by default", {}, "sent"],
  ])("has a browser whose wish not to be tracked %s", async (name, settings, expected) => {
    const path = `/${name.replaceAll(" ", "-")}`;
    await show(path, settings);
    const context = await website.browser.newContext();
    await context.addInitScript(
      "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true })",
    );
    const page = await website.visit(website.address(SHOP, path), context);
    expect(await page.evaluate("window.Svc.track('x').then(() => 'sent', (error) => error.code)")).toBe(expected);
  });

  test("on a page with a strict policy is recorded, and no third-party cookie is used, so that blocking them changes nothing", async () => {
    const platform = await website.createPlatform([SHOP]);
    const url = website.organizationUrl;
    const policy = `default-src 'none'; script-src ${url}; connect-src ${url}`;
    website.pages.set("/strict", {
      html: `<!doctype html>${website.snippet(platform)}`,
      headers: { "content-security-policy": policy },
    });
    const context = await website.browser.newContext();
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(website.address(SHOP, "/strict"));
    // The policy forbids code in texts, which the test itself uses, so the page is watched from outside.
    await vi.waitFor(async () => expect(await page.evaluate(() => "Svc" in globalThis)).toBe(true), PATIENCE);
    await page.evaluate(() =>
      (globalThis as unknown as { Svc: { track(name: string): unknown } }).Svc.track("Strict page"),
    );
    await vi.waitFor(async () => expect(await eventsOf("Strict page")).toHaveLength(1), PATIENCE);
    expect(problems.filter((text) => !text.includes("favicon"))).toEqual([]);
    const hosts = (await context.cookies()).map(({ domain }) => domain.replace(/^\./, ""));
    expect(new Set(hosts)).toEqual(new Set([SHOP]));
  });

  test("on a page that breaks the browser's own functions is recorded", async () => {
    const hostile = `<script>
      Object.prototype.autoStart = false; Object.prototype.toJSON = () => "polluted"; Array.prototype.toJSON = () => "polluted";
      Object.prototype.consent = "required"; window.fetch = () => { throw new Error("broken"); };
      window.svcAsyncInit = (client) => client.track("Hostile page", { list: [1], deep: { a: [2] } });
    </script>`;
    await show("/hostile", {}, hostile);
    const page = await (await website.browser.newContext()).newPage();
    await page.goto(website.address(SHOP, "/hostile"));
    await vi.waitFor(async () => {
      expect(await eventsOf("Hostile page")).toMatchObject([{ properties: { list: [1], deep: { a: [2] } } }]);
    }, PATIENCE);
  });
});
