// @module-tag long
import { Client } from "@muster/client";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { hasBrowser, Website } from "./website.js";

const [SHOP, BLOG] = ["shop.test", "blog.test"];
/** The domains of a platform. One of them has a port. */
type Domains = (port: string) => string[];
const BOTH: Domains = (port) => [SHOP, `${BLOG}:${port}`];

describe.runIf(hasBrowser)("an id that a link carries to another domain of the platform", () => {
  let website: Website;
  let port: string;

  beforeAll(async () => {
    website = await Website.open();
    ({ port } = new URL(website.web.url));
  });
  afterAll(() => website?.close());

  async function show(path: string, { html = "", settings = {} }: { html?: string; settings?: object } = {}) {
    const platform = await website.createPlatform(BOTH(port), settings);
    const body = `<!doctype html><body>${html}${website.snippet(platform)}`;
    website.pages.set(path, { html: body, headers: { "cache-control": "no-store" } });
    return platform;
  }

  const started = async (page: Page) => {
    await page.waitForFunction("window.Svc && window.Svc.ready");
    await page.evaluate("window.Svc.ready().then(() => true)");
  };
  /** The id under which the server knows the visitor of a page. */
  const idOf = async (page: Page, event: string): Promise<string> => {
    await page.evaluate(`window.Svc.track(${JSON.stringify(event)})`);
    return vi.waitFor(async () => {
      const found = await website.search<{ anonymous_id: string }>("events", { term: { event } });
      expect(found).toHaveLength(1);
      return found[0]?.anonymous_id ?? "";
    }, PATIENCE);
  };
  /** Moves the pointer to an element, and waits until the library has an id for the link. */
  const reach = async (page: Page, selector: string) => {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith("/carry")),
      page.hover(selector),
    ]);
    await answer.finished();
    await page.waitForFunction(
      `performance.getEntriesByName("${answer.url()}").some((entry) => entry.responseEnd > 0)`,
    );
    // The library has read the answer before the page is drawn again.
    await page.evaluate(
      "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))",
    );
  };

  /** Opens a page of the shop with a link to the blog, and returns the address to which a click leads. */
  async function carriedLink(path: string, context: BrowserContext): Promise<{ address: string; shopId: string }> {
    const link = `<a id="there" href="${website.address(BLOG, path)}">Blog</a>`;
    await show(path, { html: link });
    const page = await website.visit(website.address(SHOP, path), context);
    await reach(page, "#there");
    // The browser must not follow the link here: the address is opened by the test.
    const address = await page.evaluate(`new Promise((resolve) => {
      document.addEventListener("click", (event) => { event.preventDefault(); resolve(event.target.href); });
      document.querySelector("#there").click();
    })`);
    // Somebody who copies the link later copies no id.
    await page.waitForFunction("!document.querySelector('#there').href.includes('sjs_bid')");
    return { address: String(address), shopId: await idOf(page, `Shop of ${path}`) };
  }
  const openFrom = async (referer: string | undefined, address: string): Promise<Page> => {
    const page = await (await website.browser.newContext()).newPage();
    await page.goto(address, referer === undefined ? {} : { referer });
    await started(page);
    return page;
  };

  test("makes the visitor the same one there, by a click", async () => {
    const link = `<a id="there" href="${website.address(BLOG, "/by-click?from=shop")}">Blog</a>`;
    await show("/by-click", { html: `${link}<a id="away" href="http://other.test/page">Away</a>` });
    const asked: string[] = [];
    const page = await website.visit(website.address(SHOP, "/by-click"));
    page.on("request", (request) => request.url().endsWith("/carry") && asked.push(request.postData() ?? ""));
    const shopId = await idOf(page, "By click, shop");
    await reach(page, "#there");
    await page.hover("#away");
    await page.hover("#there");
    expect(asked).toHaveLength(1);
    await Promise.all([page.waitForURL("**/by-click?from=shop"), page.click("#there")]);
    await started(page);
    expect(await idOf(page, "By click, blog")).toBe(shopId);
    // The id is not told to other sites.
    await page.evaluate("document.querySelector('#away').addEventListener('click', (event) => event.preventDefault())");
    await page.click("#away");
    expect(await page.evaluate("document.querySelector('#away').href")).toBe("http://other.test/page");
    expect(asked).toHaveLength(1);
  });

  test.each(["get", "post"])("makes the visitor the same one there, by a form with the method %s", async (method) => {
    const path = `/by-form-${method}`;
    const action = website.address(BLOG, `${path}?kept=1`);
    await show(path, {
      html: `<form method="${method}" action="${action}"><input name="q" value="tea"><button>Go</button></form>`,
    });
    const page = await website.visit(website.address(SHOP, path));
    const shopId = await idOf(page, `${path}, shop`);
    await reach(page, "button");
    const there = method === "get" ? `**${path}?q=tea` : `**${path}?kept=1`;
    await Promise.all([page.waitForURL(there), page.click("button")]);
    await started(page);
    expect(await idOf(page, `${path}, blog`)).toBe(shopId);
  });

  test("makes the visitor the same one there, by a script that leads to another platform of the organization", async () => {
    const [shop, blog] = [await website.createPlatform([SHOP]), await website.createPlatform([`${BLOG}:${port}`])];
    website.pages.set("/by-script", { html: `<!doctype html>${website.snippet(shop)}` });
    website.pages.set("/of-script", { html: `<!doctype html>${website.snippet(blog)}` });
    const page = await website.visit(website.address(SHOP, "/by-script"));
    await started(page);
    const shopId = await idOf(page, "By script, shop");
    const address = website.address(BLOG, "/of-script?to=blog");
    await Promise.all([
      page.waitForURL(address),
      page.evaluate(`location.href = ${JSON.stringify(address)}; undefined`),
    ]);
    await started(page);
    expect(await idOf(page, "By script, blog")).toBe(shopId);
  });

  test("signs the user in there too", async () => {
    const link = `<a id="there" href="${website.address(BLOG, "/signed-in")}">Blog</a>`;
    await show("/signed-in", { html: link });
    const { id, secret } = website.credentials;
    const client = new Client({ id, secret, url: website.organizationUrl });
    const token = client.asUser({ email: "cay@example.com" }).token({ exp: Date.now() / 1_000 + 600 });
    const page = await website.visit(website.address(SHOP, "/signed-in"));
    await started(page);
    await page.evaluate(`window.Svc.login({ access_token: ${JSON.stringify(token)} }).then(() => true)`);
    await reach(page, "#there");
    await Promise.all([page.waitForURL(website.address(BLOG, "/signed-in")), page.click("#there")]);
    await started(page);
    expect(await page.evaluate("window.Svc.currentUser().email")).toBe("cay@example.com");
    // The address, and what the page before it is told, have nothing of it.
    expect(await page.evaluate("location.search + document.referrer")).not.toContain("sjs_bid");
  });

  test("is left out when the server has not answered at the click, and the page goes on", async () => {
    const link = `<a id="there" href="${website.address(BLOG, "/slow")}">Blog</a>`;
    await show("/slow", { html: link });
    const context = await website.browser.newContext();
    await context.route("**/carry", () => undefined);
    const page = await website.visit(website.address(SHOP, "/slow"), context);
    const shopId = await idOf(page, "Slow, shop");
    await Promise.all([page.waitForURL(website.address(BLOG, "/slow")), page.click("#there")]);
    await started(page);
    expect(await idOf(page, "Slow, blog")).not.toBe(shopId);
  });

  test("is no id when somebody has made the link up", async () => {
    await show("/made-up");
    for (const made of [`${Date.now().toString(36)}.eve`, "eve", "A".repeat(200)]) {
      const page = await openFrom(website.address(SHOP), website.address(BLOG, `/made-up?a=1&sjs_bid=${made}`));
      expect(await page.evaluate("location.search")).toBe("?a=1");
      expect(await idOf(page, `Made up ${made.length}`)).not.toMatch(/eve|AAA/);
    }
  });

  test("is taken over once, and only from the page that it was made for", async () => {
    const { address, shopId } = await carriedLink("/once", await website.browser.newContext());
    expect(new URL(address).searchParams.get("sjs_bid")).toEqual(expect.any(String));
    expect(address).not.toContain(shopId);
    const stranger = await openFrom("http://evil.test/", address);
    expect(await idOf(stranger, "Once, from a strange page")).not.toBe(shopId);
    expect(await idOf(await openFrom(undefined, address), "Once, from a mail")).not.toBe(shopId);
    const first = await openFrom(website.address(SHOP), address);
    expect(await idOf(first, "Once, first")).toBe(shopId);
    expect(await idOf(await openFrom(website.address(SHOP), address), "Once, second")).not.toBe(shopId);
  });

  test("is not taken from a link that somebody else has written on the page", async () => {
    const { id } = await show("/comments");
    const page = await website.visit(website.address(SHOP, "/comments"));
    await page.evaluate(`(async () => {
      const url = "${website.organizationUrl}/api/v1/${id}/carry";
      const body = JSON.stringify({ bid: "eve", to: "${BLOG}:${port}" });
      const { carried } = await (await fetch(url, { method: "POST", body })).json();
      document.body.insertAdjacentHTML("beforeend", \`<a href="${website.address(BLOG, "/comments")}?sjs_bid=\${carried}">Look</a>\`);
    })()`);
    const written = String(await page.evaluate("document.querySelector('a').href"));
    await Promise.all([page.waitForURL(website.address(BLOG, "/comments")), page.click("a")]);
    await started(page);
    expect(await idOf(page, "From a comment")).not.toBe("eve");
    // A page that follows such an address by a script.
    const other = await website.visit(website.address(SHOP, "/comments"));
    await started(other);
    await Promise.all([
      other.waitForURL(website.address(BLOG, "/comments")),
      other.evaluate(`location.href = ${JSON.stringify(written)}; undefined`),
    ]);
    await started(other);
    expect(await idOf(other, "From a comment, by a script")).not.toBe("eve");
  });

  test("becomes an alias where the visitor has an id already", async () => {
    const context = await website.browser.newContext();
    const { address, shopId } = await carriedLink("/alias", context);
    const page = await website.visit(website.address(BLOG, "/alias"), context);
    const blogId = await idOf(page, "Alias, before");
    expect(blogId).not.toBe(shopId);
    await page.goto(address, { referer: website.address(SHOP) });
    await started(page);
    expect(await idOf(page, "Alias, after")).toBe(blogId);
    await vi.waitFor(async () => {
      const [user] = await website.search<{ anonymous_ids: string[] }>("user_reports", {
        term: { anonymous_ids: blogId },
      });
      expect(new Set(user?.anonymous_ids)).toEqual(new Set([blogId, shopId]));
    }, PATIENCE);
  });

  test("is neither asked for nor taken over before the visitor agrees", async () => {
    const link = `<a id="there" href="${website.address(BLOG, "/agree")}">Blog</a>`;
    await show("/agree", { html: link, settings: { consent: "required" } });
    const context = await website.browser.newContext();
    const calls: string[] = [];
    context.on("request", (request) => /\/(carry|arrive)$/.test(request.url()) && calls.push(request.url()));
    const page = await website.visit(website.address(SHOP, "/agree"), context);
    await page.hover("#there");
    await Promise.all([page.waitForURL(website.address(BLOG, "/agree")), page.click("#there")]);
    await page.goto(website.address(BLOG, "/agree?sjs_bid=made-up"), { referer: website.address(SHOP) });
    await started(page);
    expect([calls, await page.evaluate("location.search")]).toEqual([[], ""]);
    await Promise.all([page.waitForResponse("**/arrive"), page.evaluate("window.Svc.optIn()")]);
    expect(await idOf(page, "Agreed")).toEqual(expect.any(String));
  });
});
