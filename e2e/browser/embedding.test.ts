// @module-tag long
import { signToken } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startWebServer, type WebServer } from "../../testing/start-web-server.js";
import { PATIENCE } from "../support/patience.js";
import { hasBrowser, type Platform, Website } from "./website.js";

const SHOP = "shop.test";
const PLACEMENTS = ["bottom", "top", "before", "after", "replace"] as const;

/** Marks every node that it is given, and says so on the page. */
const CLIENT_CODE = `
  window.runs = (window.runs || 0) + 1;
  Svc.onEmbed(function (node, deployment, client) {
    node.textContent = "badge of " + deployment.settings._placement;
    window.client = client;
    window.embedded = (window.embedded || []).concat([[deployment.ship.name, typeof client.track]]);
  });
`;

describe.runIf(hasBrowser)("a connector with client-side code", () => {
  let website: Website;
  let connector: WebServer;
  let connectorId: string;

  beforeAll(async () => {
    website = await Website.open();
    const manifest = { name: "Badge", version: "1.0.0", index: "badge.js", tags: ["client"], settings_sections: [] };
    connector = await startWebServer((request, response) => {
      const isCode = request.url?.startsWith("/badge.js") === true;
      response.writeHead(200, { "content-type": isCode ? "text/javascript" : "application/json" });
      response.end(isCode ? CLIENT_CODE : JSON.stringify(manifest));
    });
    const installed = await website.asOperator<{ id: string }>("POST", "/connectors/install", { url: connector.url });
    connectorId = installed.id;
  });
  afterAll(async () => {
    await connector?.close();
    await website?.close();
  });

  /** A platform with the connector on it, and a page of the platform. */
  async function show(path: string, settings: object, html: string): Promise<Platform> {
    const platform = await website.createPlatform([SHOP]);
    await website.asOperator("POST", `/${platform.id}/deployments`, { connector_id: connectorId, settings });
    website.pages.set(path, { html: `<!doctype html><body>${html}${website.snippet(platform)}` });
    return platform;
  }

  test.each(PLACEMENTS)("is placed at the %s", async (_placement) => {
    await show(`/${_placement}`, { _selector: "#place", _placement }, '<main><p id="place"><b>old</b></p></main>');
    const page = await website.visit(website.address(SHOP, `/${_placement}`));
    await page.waitForFunction("window.embedded");
    const badge = `badge of ${_placement}`;
    const texts = await page.evaluate(
      "[...document.querySelectorAll('main, #place')].map((element) => [...element.childNodes].map((node) => node.textContent))",
    );
    expect(texts).toEqual(
      {
        bottom: [[`old${badge}`], ["old", badge]],
        top: [[`${badge}old`], [badge, "old"]],
        before: [[badge, "old"], ["old"]],
        after: [["old", badge], ["old"]],
        replace: [[badge], [badge]],
      }[_placement],
    );
    expect(await page.evaluate("window.embedded")).toEqual([["Badge", "function"]]);
  });

  test("has a client of its own, whose events name the connector", async () => {
    await show("/scoped", { _selector: "main" }, "<main></main>");
    const page = await website.visit(website.address(SHOP, "/scoped"));
    await page.waitForFunction("window.client");
    expect(await page.evaluate("[client.ship.name, client.deployment.settings._selector, client !== Svc]")).toEqual([
      "Badge",
      "main",
      true,
    ]);
    expect(await page.evaluate("client.config().platformId === Svc.config().platformId")).toBe(true);
    const heard =
      "new Promise((resolve) => { client.once('svc.track', resolve); client.track('Badge shown', { a: 1 }); })";
    expect(await page.evaluate(heard)).toEqual({ a: 1 });
    await vi.waitFor(async () => {
      const events = await website.search("events", { term: { event: "Badge shown" } });
      expect(events).toMatchObject([{ event_source: connectorId, properties: { a: 1 } }]);
    }, PATIENCE);
  });

  test("and another connector at the same place do not replace each other for ever", async () => {
    const settings = { _selector: "main", _placement: "replace" };
    const platform = await show("/fight", settings, "<main></main>");
    await website.asOperator("POST", `/${platform.id}/deployments`, { connector_id: connectorId, settings });
    const page = await website.visit(website.address(SHOP, "/fight"));
    await page.waitForFunction("window.embedded");
    const countChanges = `new Promise((resolve) => {
      let count = 0;
      let idle = 0;
      new MutationObserver(() => { count += 1; idle = 0; }).observe(document.body, { childList: true, subtree: true });
      const look = () => { idle += 1; if (idle > 10 || count > 100) resolve(count); else requestAnimationFrame(look); };
      look();
    })`;
    expect(await page.evaluate(countChanges)).toBeLessThan(30);
  });

  const LIST = '<ul><li class="row"></li><li class="row"></li></ul>';

  test("is placed once, or at every element with _multi, and its script runs once", async () => {
    await show("/one", { _selector: ".row" }, LIST);
    await show("/all", { _selector: ".row", _multi: true }, LIST);
    const one = await website.visit(website.address(SHOP, "/one"));
    await one.waitForFunction("window.embedded && window.embedded.length === 1");
    const all = await website.visit(website.address(SHOP, "/all"));
    await all.waitForFunction("window.embedded && window.embedded.length === 2");
    expect([await one.evaluate("window.runs"), await all.evaluate("window.runs")]).toEqual([1, 1]);
  });

  test("is placed at an element that comes later, and again after the page has changed", async () => {
    await show("/late", { _selector: ".late" }, "<main></main>");
    const page = await website.visit(website.address(SHOP, "/late"));
    const fill = "document.querySelector('main').innerHTML = '<p class=late></p>'";
    await page.evaluate(fill);
    await page.waitForFunction("document.querySelector('.late')?.textContent === 'badge of bottom'");
    await page.evaluate("document.querySelector('main').innerHTML = ''");
    await page.evaluate(fill);
    await page.waitForFunction("document.querySelector('.late')?.textContent === 'badge of bottom'");
  });

  test("is not embedded when the page says so, until the page does it itself", async () => {
    const platform = await show("/manual", { _selector: "main" }, "<main></main>");
    const html = `<!doctype html><body><main></main>${website.snippet(platform, 'data-embed="false"')}`;
    website.pages.set("/manual", { html });
    const page = await website.visit(website.address(SHOP, "/manual"));
    expect(await page.evaluate("document.querySelector('main').textContent")).toBe("");
    const deployments = await website.call<object[]>("GET", `/${platform.id}/deployments`);
    await page.evaluate(`window.Svc.embed(${JSON.stringify(deployments)}, { reset: true })`);
    await page.waitForFunction("document.querySelector('main').textContent === 'badge of bottom'");
  });

  test("that serves a purpose is in the page while the visitor agrees to it, on later pages too", async () => {
    await website.asOperator("PUT", "/purposes/marketing", {});
    const serve = (purposes: string[]) => website.asOperator("PUT", `/${connectorId}`, { purposes });
    await serve(["marketing"]);
    try {
      await show("/purpose", { _selector: "main" }, "<main></main>");
      const address = website.address(SHOP, "/purpose");
      const page = await website.visit(address);
      const text = "document.querySelector('main').textContent";
      expect(await page.evaluate(`Svc.ready().then(() => [${text}, window.runs])`)).toEqual(["", undefined]);
      await page.evaluate("Svc.consent({ marketing: true })");
      await page.waitForFunction(`${text} === 'badge of bottom'`);
      const next = await website.visit(address, page.context());
      await next.waitForFunction(`${text} === 'badge of bottom'`);
      expect(await next.evaluate(`Svc.consent({ marketing: false }).then(() => ${text})`)).toBe("");
      const last = await website.visit(address, page.context());
      expect(await last.evaluate(text)).toBe("");
      // Somebody else, who has agreed on the server.
      const { id: iss, secret } = website.credentials;
      const iat = Math.floor(Date.now() / 1_000);
      const names = { "io.svc.subjectType": "user", "io.svc.asUser": { email: "agreed@example.com" } };
      const token = signToken({ iss, iat, ...names }, secret);
      const other = await website.visit(address);
      const signIn = `Svc.login({ access_token: "${token}" })`;
      await other.evaluate(`${signIn}.then(() => Svc.consent({ marketing: true })).then(() => Svc.logout())`);
      expect(await other.evaluate(text)).toBe("");
      await other.evaluate(signIn);
      await other.waitForFunction(`${text} === 'badge of bottom'`);
    } finally {
      await serve([]);
    }
  });

  test("that is broken does not disturb the page", async () => {
    const platform = await show("/broken", { _selector: "p:::" }, "<main></main>");
    expect(platform.id).toEqual(expect.any(String));
    const errors: unknown[] = [];
    const page = await (await website.browser.newContext()).newPage();
    page.on("pageerror", (error) => errors.push(error));
    await page.goto(website.address(SHOP, "/broken"));
    await page.waitForFunction("window.Svc && window.Svc.ready");
    await page.evaluate("window.Svc.ready().then(() => true)");
    expect(await page.evaluate('window.Svc.track("Still works")')).toBe(true);
    expect(errors).toEqual([]);
  });
});
