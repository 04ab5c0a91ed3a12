import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { canTest, isInstalled } from "../../testing/can-test.js";
import { CHROMIUM } from "../../testing/chromium.js";
import { freePort } from "../../testing/free-port.js";
import { startWebServer, type WebServer } from "../../testing/start-web-server.js";
import { callApi, connectorHeaders } from "../support/call-api.js";
import { type Credentials, credentialsOf } from "../support/credentials.js";
import { type MusterProcess, startMuster } from "../support/muster-process.js";

const ADMIN_TOKEN = "operator-token-of-the-tests";

/** Whether pages can be opened here. */
export const hasBrowser = canTest(
  isInstalled(CHROMIUM),
  `The browser library is not tested: there is no ${CHROMIUM}. Install the package chromium, or set CHROMIUM to a browser.`,
);

export interface Platform {
  id: string;
}

/** A server, a website on other hosts, and a real browser. */
export class Website {
  readonly muster: MusterProcess;
  readonly credentials: Credentials;
  readonly web: WebServer;
  readonly browser: Browser;
  /** What the website answers, by path. */
  readonly pages = new Map<string, { html: string; headers?: Record<string, string> }>();
  readonly #folder: string;

  private constructor(
    muster: MusterProcess,
    credentials: Credentials,
    web: WebServer,
    browser: Browser,
    folder: string,
  ) {
    this.muster = muster;
    this.credentials = credentials;
    this.web = web;
    this.browser = browser;
    this.#folder = folder;
  }

  static async open(environment: Record<string, string> = {}): Promise<Website> {
    const folder = await mkdtemp(join(tmpdir(), "muster-website-"));
    const muster = startMuster({
      dataDir: join(folder, "data"),
      port: await freePort(),
      command: [process.execPath, "apps/server/bundle/main.js", "--json"],
      environment: { LOG_LEVEL: "error", MUSTER_ADMIN_TOKEN: ADMIN_TOKEN, ...environment },
    });
    let website: Website | undefined;
    const web = await startWebServer((request, response) => {
      const { pathname } = new URL(request.url ?? "", "http://localhost");
      const page = website?.pages.get(pathname);
      if (page) response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...page.headers });
      else response.writeHead(404);
      response.end(page?.html);
    });
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      // All host names of the tests are this machine.
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--host-resolver-rules=MAP *.test 127.0.0.1",
        "--test-third-party-cookie-phaseout",
        // Locks exist on secure pages only. The other hosts are those of pages without https.
        `--unsafely-treat-insecure-origin-as-secure=http://shop.test:${new URL(web.url).port}`,
      ],
    });
    await muster.ready();
    website = new Website(muster, await credentialsOf(muster), web, browser, folder);
    return website;
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
    const { url } = this.muster;
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
    return callApi<Answer>(this.muster.url, { method, path, headers: connectorHeaders(this.credentials), body });
  }

  asOperator<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    return callApi<Answer>(this.muster.url, { method, path, headers, body });
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

  async close(): Promise<void> {
    await this.browser.close();
    this.muster.kill("SIGTERM");
    await this.muster.ended;
    await this.web.close();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
