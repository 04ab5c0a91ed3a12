import { type Browser, chromium, type Page } from "playwright-core";
import { rolldown } from "rolldown";
import { CHROMIUM } from "../../../testing/chromium.js";
import { startWebServer, type WebServer } from "../../../testing/start-web-server.js";
import { REPOSITORY } from "../../support/muster-process.js";

/** The host of the website, which the page key names. */
export const SITE = "shop.test";
const QUERY = "?utm_source=mail&utm_medium=email&utm_campaign=spring";
/** Beside it, modules find the packages of the server. */
const ENTRY = `${REPOSITORY}apps/server/website.js`;

export interface Visit {
  page: Page;
  address: string;
  /** Addresses outside the website and the server that the page has asked for. */
  strangers: string[];
}

/** A website in a real browser. */
export class Website {
  readonly #browser: Browser;
  readonly #web: WebServer;
  readonly #pages: Map<string, string>;

  private constructor(browser: Browser, web: WebServer, pages: Map<string, string>) {
    this.#browser = browser;
    this.#web = web;
    this.#pages = pages;
  }

  static async open(): Promise<Website> {
    const pages = new Map<string, string>();
    const web = await startWebServer((request, response) => {
      const { pathname } = new URL(request.url ?? "", "http://localhost");
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(pages.get(pathname) ?? "");
    });
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP *.test 127.0.0.1"],
    });
    return new Website(browser, web, pages);
  }

  /** Opens a page with this in its head. The server is at `serverUrl`. */
  async visit(name: string, head: string, serverUrl: string): Promise<Visit> {
    this.#pages.set(`/${name}`, `<!doctype html><head><title>Shop</title>${head}</head><p>Tea</p>`);
    const page = await (await this.#browser.newContext()).newPage();
    const strangers: string[] = [];
    const { port } = new URL(this.#web.url);
    const known = [port, new URL(serverUrl).port];
    page.on("request", (request) => {
      if (!known.includes(new URL(request.url()).port)) strangers.push(request.url());
    });
    const address = `http://${SITE}:${port}/${name}${QUERY}`;
    await page.goto(address);
    return { page, address, strangers };
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#web.close();
  }
}

/** A script tag with a module and the packages that it imports, as bundlers make it. */
export async function bundle(code: string): Promise<string> {
  const build = await rolldown({
    input: ENTRY,
    platform: "browser",
    logLevel: "warn",
    plugins: [
      {
        name: "website",
        load: (id) => (id === ENTRY ? code : undefined),
        resolveId: (id) => (id === ENTRY ? id : undefined),
      },
    ],
  });
  const { output } = await build.generate({ format: "iife" });
  return `<script>${output[0].code.replaceAll("</script", "<\\/script")}</script>`;
}
