// @module-tag long
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sized } from "../../testing/test-length.js";
import { PATIENCE } from "../support/patience.js";
import { hasBrowser, type Platform, Website } from "./website.js";

const SHOP = "shop.test";
/** Pages that are left, each after a random moment of up to 40 ms. */
const ROUNDS = sized(40, 200);

describe.runIf(hasBrowser)("records of a page", () => {
  let website: Website;
  let platform: Platform;

  beforeAll(async () => {
    website = await Website.open();
    platform = await website.createPlatform([SHOP]);
    const form = '<form action="/thanks" method="get"><input name="email" value="a@b.c"><button>Send</button></form>';
    website.pages.set("/", { html: `<!doctype html>${website.snippet(platform)}${form}` });
    website.pages.set("/thanks", { html: "<!doctype html>Thanks" });
    // Records a number, and opens the next page after a moment.
    const leaving = `<script>
      const number = Number(new URLSearchParams(location.search).get("number"));
      window.svcAsyncInit = (client) => {
        client.track("Unload", { number });
        const next = number === ${ROUNDS - 1} ? "/" : "/leaving?number=" + (number + 1);
        setTimeout(() => location.replace(next), Math.random() * 40);
      };
    </script>`;
    website.pages.set("/leaving", { html: `<!doctype html>${leaving}${website.snippet(platform)}` });
  });
  afterAll(() => website?.close());

  const numbersOf = async (event: string) => {
    const events = await website.search<{ properties: { number: number } }>("events", { term: { event } });
    return events.map(({ properties }) => properties.number);
  };
  /** Starts a call without waiting for it. */
  const track = (page: Page, event: string, number: number) =>
    page.evaluate(`void window.Svc.track("${event}", { number: ${number} })`);

  test("are sent once and in order, however many are made at once", async () => {
    const page = await website.visit(website.address(SHOP));
    await page.evaluate(
      "Promise.all(Array.from({ length: 300 }, (_, number) => window.Svc.track('Many', { number })))",
    );
    await vi.waitFor(async () => expect((await numbersOf("Many")).length).toBe(300), PATIENCE);
    expect(new Set(await numbersOf("Many")).size).toBe(300);
  });

  test("take effect in the order in which they were made", async () => {
    const page = await website.visit(website.address(SHOP));
    await page.evaluate(
      "Promise.all(Array.from({ length: 300 }, (_, last_number) => window.Svc.traits({ last_number })))",
    );
    await vi.waitFor(async () => {
      const users = await website.search("user_reports", { exists: { field: "traits_last_number" } });
      expect(users).toMatchObject([{ traits_last_number: 299 }]);
    }, PATIENCE);
  });

  test("are sent although they are larger than what a browser sends after a page", async () => {
    const page = await website.visit(website.address(SHOP));
    await page.evaluate(`Promise.all(Array.from({ length: 30 }, (_, number) =>
      window.Svc.track("Large", { number, text: "x".repeat(7000) })))`);
    await page.evaluate(`window.Svc.traits({ large: Array.from({ length: 70 }, () => "x".repeat(1000)) })`);
    await vi.waitFor(async () => expect(new Set(await numbersOf("Large")).size).toBe(30), PATIENCE);
    const code = await page.evaluate(
      `window.Svc.track("Too large", { text: "x".repeat(200000) }).then(() => "sent", (error) => error.code)`,
    );
    expect(code).toBe("invalid_argument");
  });

  test("are what the page said at that moment, also when it changes its objects afterwards", async () => {
    const page = await website.visit(website.address(SHOP));
    await page.evaluate(`(() => {
      const properties = { number: 1 };
      const sent = window.Svc.track("Changed object", properties);
      properties.number = 2;
      return sent;
    })()`);
    await vi.waitFor(async () => expect(await numbersOf("Changed object")).toEqual([1]), PATIENCE);
  });

  test.each([
    ["without storage", "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } })"],
    ["without locks", "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })"],
    ["with locks that fail", "LockManager.prototype.request = () => Promise.reject(new Error('blocked'))"],
    ["with a full storage", "Storage.prototype.setItem = () => { throw new Error('full'); }"],
  ])("are sent %s", async (name, script) => {
    const context = await website.browser.newContext();
    await context.addInitScript(script);
    const page = await website.visit(website.address(SHOP), context);
    expect(await page.evaluate("window.isSecureContext")).toBe(true);
    expect(await page.evaluate(`window.Svc.track("Sent ${name}", { number: 1 })`)).toBe(true);
    await vi.waitFor(async () => expect(await numbersOf(`Sent ${name}`)).toEqual([1]), PATIENCE);
  });

  test("are sent when the page is shown again", async () => {
    const context = await website.browser.newContext();
    const page = await website.visit(website.address(SHOP), context);
    await context.route("**/records", (route) => route.abort());
    for (let number = 0; number < 8; number += 1) {
      await track(page, "Shown again", number);
      await page.evaluate("window.dispatchEvent(new Event('online'))");
    }
    await page.waitForFunction("Object.keys(localStorage).some((key) => key.startsWith('svc:batch'))");
    await context.unroute("**/records");
    await page.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await vi.waitFor(async () => expect(await numbersOf("Shown again")).toHaveLength(8), PATIENCE);
  });

  test("wait while the browser is offline, and are sent when it is back", async () => {
    const context = await website.browser.newContext();
    const page = await website.visit(website.address(SHOP), context);
    await context.setOffline(true);
    for (let number = 0; number < 3; number += 1) await track(page, "Offline", number);
    await page.waitForFunction("Object.keys(localStorage).some((key) => key.startsWith('svc:batch'))");
    await context.setOffline(false);
    await vi.waitFor(async () => expect(await numbersOf("Offline")).toEqual([0, 1, 2]), PATIENCE);
    await page.waitForFunction("!Object.keys(localStorage).some((key) => key.startsWith('svc:batch'))");
  });

  test("that a page could not send are sent by the next page", async () => {
    const context = await website.browser.newContext();
    const page = await website.visit(website.address(SHOP), context);
    await context.route("**/records", (route) => route.abort());
    await track(page, "Left behind", 1);
    await page.waitForFunction("Object.keys(localStorage).some((key) => key.startsWith('svc:batch'))");
    await page.close();
    await context.unroute("**/records");
    await website.visit(website.address(SHOP), context);
    await vi.waitFor(async () => expect(await numbersOf("Left behind")).toEqual([1]), PATIENCE);
  });

  test("of a form are recorded although the page goes away", async () => {
    const page = await website.visit(website.address(SHOP));
    await page.evaluate(
      "window.Svc.trackForm(document.querySelectorAll('form'), () => 'Sent form', (form) => ({ number: form.elements.length }))",
    );
    await Promise.all([page.waitForURL("**/thanks?email=*"), page.click("button")]);
    await vi.waitFor(async () => expect(await numbersOf("Sent form")).toEqual([2]), PATIENCE);
  });

  test("of two tabs are sent once each", async () => {
    const context = await website.browser.newContext();
    const tabs = await Promise.all([1, 2].map(() => website.visit(website.address(SHOP), context)));
    await Promise.all(
      tabs.map((tab, at) =>
        tab.evaluate(
          `Promise.all(Array.from({ length: 50 }, (_, number) => window.Svc.track("Tabs", { number: ${at * 50} + number })))`,
        ),
      ),
    );
    await vi.waitFor(async () => {
      const numbers = await numbersOf("Tabs");
      expect([...numbers].sort((one, other) => one - other)).toEqual(Array.from({ length: 100 }, (_, at) => at));
    }, PATIENCE);
  });

  test("are neither lost nor doubled when pages are left at random moments", async () => {
    const context = await website.browser.newContext();
    const page = await website.visit(website.address(SHOP), context);
    await page.goto(website.address(SHOP, "/leaving?number=0"));
    await page.waitForURL(website.address(SHOP), { timeout: 100_000 });
    await vi.waitFor(async () => {
      const numbers = await numbersOf("Unload");
      const made = Array.from({ length: ROUNDS }, (_, at) => at);
      expect([...numbers].sort((one, other) => one - other)).toEqual(made);
    }, PATIENCE);
  });
});
