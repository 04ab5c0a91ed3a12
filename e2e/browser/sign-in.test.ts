// @module-tag long
import { signToken } from "@muster/protocol";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { hasBrowser, type Platform, Website } from "./website.js";

const SHOP = "shop.test";
describe.runIf(hasBrowser)("a visitor who signs in", () => {
  let website: Website;
  let platform: Platform;

  beforeAll(async () => {
    website = await Website.open();
    platform = await website.createPlatform([SHOP]);
    website.pages.set("/", { html: `<!doctype html>${website.snippet(platform)}` });
  });
  afterAll(() => website?.close());

  function tokenOf(email: string, claims: object = {}): string {
    const { id, secret } = website.credentials;
    const iat = Math.floor(Date.now() / 1_000);
    const payload = { iss: id, iat, "io.svc.subjectType": "user", "io.svc.asUser": { email }, ...claims };
    return signToken(payload, secret);
  }

  /** The bus events of a page, by name. */
  const listen = (page: Page) =>
    page.evaluate(`(() => {
      window.heard = [];
      window.Svc.onAny((name, argument) => window.heard.push([name, argument && argument.email]));
    })()`);

  const userOf = async (email: string) => {
    const [user] = await website.search<{ id: string; anonymous_ids: string[] }>("user_reports", { term: { email } });
    return user;
  };

  test("is that user, and what the browser did before belongs to the user", async () => {
    const page = await website.visit(website.address(SHOP));
    await page.evaluate('window.Svc.track("Looked around")');
    expect(await page.evaluate("window.Svc.currentUser()")).toBe(false);
    await listen(page);
    const me = await page.evaluate(`window.Svc.login({ access_token: "${tokenOf("ann@example.com")}" })`);
    expect(me).toMatchObject({ email: "ann@example.com", access_token: expect.any(String) });
    expect(await page.evaluate("window.Svc.currentUser().email")).toBe("ann@example.com");
    expect(await page.evaluate("window.heard")).toEqual([
      ["svc.user.login", "ann@example.com"],
      ["svc.user.update", "ann@example.com"],
    ]);
    await page.evaluate('window.Svc.track("Bought")');
    await vi.waitFor(async () => {
      const ann = await userOf("ann@example.com");
      const events = await website.search<{ event: string }>("events", { term: { user_id: ann?.id } });
      expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(["Looked around", "Bought"]));
    }, PATIENCE);
  });

  test("is still signed in on the next page, until signing out", async () => {
    const context = await website.browser.newContext();
    const first = await website.visit(website.address(SHOP), context);
    await first.evaluate(`window.Svc.login({ access_token: "${tokenOf("bob@example.com")}" })`);
    const second = await website.visit(website.address(SHOP), context);
    expect(await second.evaluate("window.Svc.currentUser().email")).toBe("bob@example.com");
    await second.evaluate("window.Svc.logout()");
    expect(await second.evaluate("window.Svc.currentUser()")).toBe(false);
    await second.evaluate('window.Svc.track("After sign-out")');
    const third = await website.visit(website.address(SHOP), context);
    expect(await third.evaluate("window.Svc.currentUser()")).toBe(false);
    await vi.waitFor(async () => {
      const [event] = await website.search<{ user_id: string }>("events", { term: { event: "After sign-out" } });
      expect(event?.user_id).toEqual(expect.any(String));
      expect(event?.user_id).not.toBe((await userOf("bob@example.com"))?.id);
    }, PATIENCE);
  });

  test("and out again while a page still asks who it is stays signed out", async () => {
    const context = await website.browser.newContext();
    const first = await website.visit(website.address(SHOP), context);
    await first.evaluate(`window.Svc.login({ access_token: "${tokenOf("bob@example.com")}" })`);
    await first.close();
    const page = await context.newPage();
    let answer = () => {};
    const signedOut = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/me", async (route) => {
      await signedOut;
      await route.continue();
    });
    const asked = page.waitForRequest("**/me");
    await page.goto(website.address(SHOP));
    await asked;
    await page.evaluate("window.Svc.logout()");
    answer();
    await page.evaluate("window.Svc.ready().then(() => true)");
    expect(await page.evaluate("window.Svc.currentUser()")).toBe(false);
  });

  test("by a token in the script tag is signed in from the start", async () => {
    const attribute = `data-access-token="${tokenOf("eve@example.com")}"`;
    website.pages.set("/signed-in", { html: `<!doctype html>${website.snippet(platform, attribute)}` });
    const page = await website.visit(website.address(SHOP, "/signed-in"));
    expect(await page.evaluate("window.Svc.ready().then(({ me }) => me.email)")).toBe("eve@example.com");
  });

  test("with a token that is not valid stays anonymous, and the page is told", async () => {
    const page = await website.visit(website.address(SHOP));
    await listen(page);
    const code = await page.evaluate(
      "window.Svc.login({ access_token: 'a.b.c' }).then(() => 'signed in', (error) => error.code)",
    );
    expect(code).toBe("unauthorized");
    expect(await page.evaluate("window.heard.map(([name]) => name)")).toEqual(["svc.user.fail"]);
    expect(await page.evaluate("window.Svc.currentUser()")).toBe(false);
  });

  test("in one tab is signed in and out in the others", async () => {
    const context = await website.browser.newContext();
    const [first, second] = [
      await website.visit(website.address(SHOP), context),
      await website.visit(website.address(SHOP), context),
    ];
    await listen(second);
    await first.evaluate(`window.Svc.login({ access_token: "${tokenOf("tab@example.com")}" })`);
    await second.waitForFunction("window.Svc.currentUser().email === 'tab@example.com'");
    await first.evaluate("window.Svc.logout()");
    await second.waitForFunction("window.Svc.currentUser() === false");
    expect(await second.evaluate("window.heard.map(([name]) => name)")).toEqual([
      "svc.user.login",
      "svc.user.update",
      "svc.user.logout",
      "svc.user.update",
    ]);
    await second.evaluate('window.Svc.track("After sign-out in another tab")');
    await vi.waitFor(async () => {
      const query = { term: { event: "After sign-out in another tab" } };
      const [event] = await website.search<{ user_id: string }>("events", query);
      expect(event?.user_id).toEqual(expect.any(String));
      expect(event?.user_id).not.toBe((await userOf("tab@example.com"))?.id);
    }, PATIENCE);
  });

  test("whose token ends while records wait is still the user of these records", async () => {
    const context = await website.browser.newContext();
    const page = await website.visit(website.address(SHOP), context);
    await page.evaluate(`window.Svc.login({ access_token: "${tokenOf("late@example.com")}" })`);
    await listen(page);
    await context.route("**/records", async (route) => {
      const { access_token, ...body } = JSON.parse(route.request().postData() ?? "");
      // What the server would get after the token has ended.
      await route.continue({ postData: JSON.stringify(access_token ? { ...body, access_token: "a.b.c" } : body) });
    });
    expect(await page.evaluate('window.Svc.track("Late record")')).toBe(true);
    expect(await page.evaluate("window.heard.map(([name]) => name)")).toEqual([
      "svc.user.fail",
      "svc.user.update",
      "svc.track",
    ]);
    expect(await page.evaluate("window.Svc.currentUser()")).toBe(false);
    await vi.waitFor(async () => {
      const [event] = await website.search<{ user_id: string }>("events", { term: { event: "Late record" } });
      expect(event?.user_id).toEqual((await userOf("late@example.com"))?.id);
    }, PATIENCE);
  });

  test("before the library has started is signed in when it has", async () => {
    const script = `<script>window.svcAsyncInit = (client) => client.login({ access_token: "${tokenOf("early@example.com")}" })
      .then((me) => { window.early = me.email; });</script>`;
    website.pages.set("/early", { html: `<!doctype html>${script}${website.snippet(platform)}` });
    const page = await website.visit(website.address(SHOP, "/early"));
    await page.waitForFunction("window.early === 'early@example.com'");
  });

  test("can add an anonymous id", async () => {
    const page = await website.visit(website.address(SHOP));
    await page.evaluate(`window.Svc.login({ access_token: "${tokenOf("kim@example.com")}" })`);
    await page.evaluate('window.Svc.alias("device-of-kim")');
    await vi.waitFor(async () => {
      expect((await userOf("kim@example.com"))?.anonymous_ids).toContain("device-of-kim");
    }, PATIENCE);
  });
});
