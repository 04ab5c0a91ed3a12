import { randomBytes } from "node:crypto";
import { createBrand } from "@muster/protocol";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { inject } from "vitest";
import { canTest, isInstalled } from "../../testing/can-test.js";
import { CHROMIUM } from "../../testing/chromium.js";
import { startWebServer, type WebServer } from "../../testing/start-web-server.js";
import { callApi, connectorHeaders } from "../support/call-api.js";
import type { Credentials } from "../support/credentials.js";

const { headers: names } = createBrand();

/** Whether pages can be opened here. */
export const hasBrowser = canTest(
  isInstalled(CHROMIUM),
  `The browser library is not tested: there is no ${CHROMIUM}. Install the package chromium, or set CHROMIUM to a browser.`,
);

export interface Platform {
  id: string;
}

type Pages = Map<string, { html: string; headers?: Record<string, string> }>;

/** An organization of the server that all test files share, a website on other hosts, and a real browser. */
export class Website {
  /** The address of the organization. */
  readonly organizationUrl: string;
  readonly credentials: Credentials;
  readonly web: WebServer;
  readonly browser: Browser;
  /** What the website answers, by path. */
  readonly pages: Pages;
  readonly #namespace: string;

  private constructor(namespace: string, credentials: Credentials, web: WebServer, browser: Browser, pages: Pages) {
    const { port } = new URL(inject("sharedServer").url);
    this.organizationUrl = `http://${namespace}.localhost:${port}`;
    this.credentials = credentials;
    this.web = web;
    this.browser = browser;
    this.pages = pages;
    this.#namespace = namespace;
  }

  static async open(): Promise<Website> {
    const namespace = `website-${randomBytes(6).toString("hex")}`;
    await callAsOperator("POST", "/organizations", { namespace, name: "Website" });
    const credentials = await callAsOperator<Credentials>("POST", "/connectors", { name: "API" }, namespace);
    const pages: Pages = new Map();
    const web = await startWebServer((request, response) => {
      const { pathname } = new URL(request.url ?? "", "http://localhost");
      const page = pages.get(pathname);
      if (page) response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...page.headers });
      else response.writeHead(404);
      response.end(page?.html);
    });
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        // All host names of the tests are this machine.
        "--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.localhost 127.0.0.1",
        "--test-third-party-cookie-phaseout",
        // Locks exist on secure pages only. The other hosts are those of pages without https.
        `--unsafely-treat-insecure-origin-as-secure=http://shop.test:${new URL(web.url).port}`,
      ],
    });
    return new Website(namespace, credentials, web, browser, pages);
  }

  /** The address of a page of the website, under a host name such as `shop.test`. */
  address(host: string, path = "/"): string {
    return `http://${host}:${new URL(this.web.url).port}${path}`;
  }

  createPlatform(domains: readonly string[], settings: object = {}): Promise<Platform> {
    return this.asOperator<Platform>("POST", "/platforms", { name: "Shop", domains, settings });
  }

  /** The script tag of a page. */
  snippet({ id }: Platform, attributes = ""): string {
    const url = this.organizationUrl;
    return `<script id="svc-js-sdk" async data-platform-id="${id}" data-org-url="${url}" ${attributes} src="${url}/js/latest/muster.js"></script>`;
  }

  async visit(address: string, context?: BrowserContext): Promise<Page> {
    const page = await (context ?? (await this.browser.newContext())).newPage();
    await page.goto(address);
    await page.waitForFunction("window.Svc && window.Svc.ready");
    await page.evaluate("window.Svc.ready().then(() => true)");
    return page;
  }

  call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const headers = { ...connectorHeaders(this.credentials), [names.organization]: this.#namespace };
    return callApi<Answer>(inject("sharedServer").url, { method, path, headers, body });
  }

  asOperator<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    return callAsOperator<Answer>(method, path, body, this.#namespace);
  }

  /** Everything of a kind that the server has found, the oldest first. */
  async search<Row>(kind: "user_reports" | "events", query: object): Promise<Row[]> {
    const { data } = await this.call<{ data: Row[] }>("POST", `/search/${kind}`, {
      query,
      sort: { created_at: "asc" },
      per_page: 1_000,
    });
    return data;
  }

  /** An object of the organization, as its members see it. */
  async object<Answer>(id: string): Promise<Answer> {
    return callAsOperator<Answer>("GET", `/${id}`, undefined, this.#namespace);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.web.close();
  }
}

function callAsOperator<Answer>(method: string, path: string, body?: object, namespace?: string): Promise<Answer> {
  const { url, adminToken } = inject("sharedServer");
  const headers = {
    authorization: `Bearer ${adminToken}`,
    ...(namespace === undefined ? {} : { [names.organization]: namespace }),
  };
  return callApi<Answer>(url, { method, path, headers, body });
}
