// @module-tag long
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@muster/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startWebServer } from "../../testing/start-web-server.js";
import { guideBlock } from "../guides/kit/guide-block.js";
import { PATIENCE } from "../support/patience.js";
import { hasBrowser, type Platform, Website } from "./website.js";

const SHOP = "shop.test";
const LIBRARY = fileURLToPath(new URL("../../packages/browser/dist/", import.meta.url));

describe.runIf(hasBrowser)("the guide to the browser library", () => {
  let website: Website;
  let platform: Platform;

  beforeAll(async () => {
    website = await Website.open();
    platform = await website.createPlatform([SHOP]);
  });
  afterAll(() => website?.close());

  /** A block with the platform and the server of this test. */
  function here(block: string): string {
    return block.replaceAll("PLATFORM_ID", platform.id).replaceAll("https://acme.example.com", website.organizationUrl);
  }

  /** Waits until the server has found so many events with a name, and returns their properties. */
  function propertiesOf(event: string, count: number): Promise<object[]> {
    return vi.waitFor(async () => {
      const found = await website.search<{ properties: object }>("events", { term: { event } });
      expect(found).toHaveLength(count);
      return found.map(({ properties }) => properties);
    }, PATIENCE);
  }

  test("has a page that records its visitor", async () => {
    website.pages.set("/", { html: here(guideBlock("docs/browser.md", "page")) });
    const page = await website.visit(website.address(SHOP));
    await page.click("button");
    expect(await propertiesOf("Added to cart", 1)).toEqual([{ tea: "Assam", price: 4.5 }]);
    expect(await propertiesOf("Page viewed", 1)).toEqual([{ title: "Shop" }]);
    const users = () => website.search("user_reports", { term: { cart_items: 1 } });
    await vi.waitFor(async () => expect(await users()).toHaveLength(1), PATIENCE);
  });

  test("names the entity that the visitor acts on, which that makes", async () => {
    website.pages.set("/tea", { html: `<!doctype html>${website.snippet(platform)}` });
    const page = await website.visit(website.address(SHOP, "/tea"));
    await page.waitForFunction("window.Svc");
    await page.addScriptTag({ content: guideBlock("docs/entities.md", "page") });
    const [event] = await vi.waitFor(async () => {
      const found = await website.search<{ entity_id?: string }>("events", { term: { event: "Viewed" } });
      expect(found).toHaveLength(1);
      return found;
    }, PATIENCE);
    expect(await website.object(event?.entity_id ?? "")).toMatchObject({ uid: "tea-1", url: page.url() });
  });

  test("says what the visitor agrees to", async () => {
    website.pages.set("/agree", { html: `<!doctype html>${website.snippet(platform)}` });
    const page = await website.visit(website.address(SHOP, "/agree"));
    await page.waitForFunction("window.Svc");
    await page.addScriptTag({ content: guideBlock("docs/purposes.md", "page") });
    const users = () => website.search("user_reports", { term: { "traits_consents/marketing": true } });
    const agreed = { "traits_consents/marketing": true, "traits_consents/analytics": false };
    await vi.waitFor(async () => expect(await users()).toMatchObject([agreed]), PATIENCE);
  });

  test("asks before it records, and says what the visitor agrees to", async () => {
    const asking = await website.createPlatform([SHOP], { consent: "required" });
    website.pages.set("/ask", { html: `<!doctype html>${website.snippet(asking)}` });
    const page = await website.visit(website.address(SHOP, "/ask"));
    await page.addScriptTag({ content: guideBlock("docs/browser.md", "agree") });
    expect(await page.evaluate("agree({ newsletter: true })")).toBe(true);
    const users = () => website.search("user_reports", { term: { "traits_consents/newsletter": true } });
    await vi.waitFor(async () => expect(await users()).toHaveLength(1), PATIENCE);
  });

  test("signs a user in", async () => {
    const { id, secret } = website.credentials;
    const client = new Client({ id, secret, url: website.organizationUrl });
    const token = client.asUser({ email: "ada@example.com" }).token({ exp: Date.now() / 1_000 + 600 });
    website.pages.set("/sign-in", { html: `<!doctype html>${website.snippet(platform)}` });
    const page = await website.visit(website.address(SHOP, "/sign-in"));
    await page.addScriptTag({ content: guideBlock("docs/browser.md", "sign-in") });
    expect(await page.evaluate(`signIn(${JSON.stringify(token)})`)).toBe("ada@example.com");
    const users = () => website.search("user_reports", { term: { newsletter: true } });
    await vi.waitFor(async () => expect(await users()).toMatchObject([{ email: "ada@example.com" }]), PATIENCE);
  });

  test("has a script that takes the library from npm", async () => {
    for (const name of await readdir(LIBRARY, { recursive: true })) {
      if (!name.endsWith(".js")) continue;
      const headers = { "content-type": "text/javascript" };
      website.pages.set(`/library/${name}`, { html: await readFile(`${LIBRARY}${name}`, "utf8"), headers });
    }
    // What a bundler does: it finds the file that the name of the package stands for.
    const map = JSON.stringify({ imports: { "@muster/browser": "/library/index.js" } });
    const script = here(guideBlock("docs/browser.md", "npm"));
    website.pages.set("/npm", {
      html: `<!doctype html><script type="importmap">${map}</script><script type="module">${script}</script>`,
    });
    const page = await (await website.browser.newContext()).newPage();
    await page.goto(website.address(SHOP, "/npm"));
    const isRecorded = async () => {
      const found = await website.search<{ context: { page: { path: string } } }>("events", {
        term: { event: "Page viewed" },
      });
      expect(found.map(({ context }) => context.page.path)).toContain("/npm");
    };
    await vi.waitFor(isRecorded, PATIENCE);
  });

  test("has code of a connector that is embedded in the page", async () => {
    const manifest = { name: "Badge", version: "1.0.0", index: "badge.js", tags: ["client"], settings_sections: [] };
    const connector = await startWebServer((request, response) => {
      const isCode = request.url?.startsWith("/badge.js") === true;
      response.writeHead(200, { "content-type": isCode ? "text/javascript" : "application/json" });
      response.end(isCode ? guideBlock("docs/browser.md", "embed") : JSON.stringify(manifest));
    });
    try {
      const { id } = await website.asOperator<{ id: string }>("POST", "/connectors/install", { url: connector.url });
      const settings = { _selector: "main", title: "Hello" };
      await website.asOperator("POST", `/${platform.id}/deployments`, { connector_id: id, settings });
      website.pages.set("/embed", { html: `<!doctype html><main></main>${website.snippet(platform)}` });
      const page = await website.visit(website.address(SHOP, "/embed"));
      await page.getByText("Hello").waitFor();
      expect(await propertiesOf("Badge shown", 1)).toEqual([{}]);
    } finally {
      await connector.close();
    }
  });
});
