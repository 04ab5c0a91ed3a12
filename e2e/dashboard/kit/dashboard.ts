import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createBrand } from "@muster/protocol";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect, inject, onTestFinished } from "vitest";
import { canTest, isInstalled } from "../../../testing/can-test.js";
import { HEADLESS_CHROMIUM } from "../../../testing/chromium.js";
import { callApi } from "../../support/call-api.js";
import { PATIENCE } from "../../support/patience.js";

const { headers: names } = createBrand();

/** Whether pages can be opened here. */
export const hasBrowser = canTest(
  isInstalled(HEADLESS_CHROMIUM),
  `The dashboard is not tested: there is no ${HEADLESS_CHROMIUM}. Install the package chromium-headless-shell or chromium, or set CHROMIUM to a browser.`,
);

/** The password of all members that tests invite. */
export const PASSWORD = "correct horse battery staple";

type ContextOptions = Parameters<Browser["newContext"]>[0];

export interface TestOrganization {
  id: string;
  namespace: string;
  name: string;
}

export interface DashboardServer {
  url: string;
  adminToken: string;
}

/** A real browser on the dashboard of a server, by default the one that all test files share. */
export class Dashboard {
  readonly url: string;
  readonly browser: Browser;
  readonly organization: TestOrganization;
  readonly #adminToken: string;

  private constructor(browser: Browser, organization: TestOrganization, { url, adminToken }: DashboardServer) {
    this.url = url;
    this.browser = browser;
    this.organization = organization;
    this.#adminToken = adminToken;
  }

  /** On the organization with the demo users, which tests must not change. */
  static async onDemo(): Promise<Dashboard> {
    const server = inject("sharedServer");
    const { url, adminToken } = server;
    const headers = { authorization: `Bearer ${adminToken}` };
    const all = await callApi<TestOrganization[]>(url, { method: "GET", path: "/organizations", headers });
    const demo = all.find(({ namespace }) => namespace === "default");
    if (!demo) throw new Error("There is no organization with demo users.");
    return new Dashboard(await launch(), demo, server);
  }

  /** On an organization of its own, without data. */
  static async onNew(name = "Acme", server: DashboardServer = inject("sharedServer")): Promise<Dashboard> {
    const { url, adminToken } = server;
    const namespace = `test-${randomBytes(6).toString("hex")}`;
    const organization = await callApi<TestOrganization>(url, {
      method: "POST",
      path: "/organizations",
      headers: { authorization: `Bearer ${adminToken}` },
      body: { namespace, name },
    });
    return new Dashboard(await launch(), organization, server);
  }

  /** A browser window in which nobody is signed in. */
  async signedOut(options: ContextOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(PATIENCE.timeout);
    return context;
  }

  /** A browser window in which a member who runs the server is signed in, by a link. */
  async signIn(options: ContextOptions = {}): Promise<BrowserContext> {
    const context = await this.signedOut(options);
    const token = await this.signInToken();
    await this.#post(context, "/session/link", { token });
    return context;
  }

  /** A browser window in which a new member with this role in the organization is signed in. */
  async signInAs(role: "viewer" | "editor" | "owner", options: ContextOptions = {}): Promise<BrowserContext> {
    const context = await this.signedOut(options);
    const email = `${role}-${randomBytes(4).toString("hex")}@example.com`;
    const { url } = await this.api<{ url: string }>("POST", "/invitations", { email, role });
    const member = { name: `The ${role}`, password: PASSWORD };
    await this.#post(context, "/invitations/accept", { token: lastPart(url), ...member });
    return context;
  }

  /** The token of a link that signs a member in once; by default the member who runs the server. */
  async signInToken(body: { email?: string; as_owner?: boolean } = {}): Promise<string> {
    const { url } = await this.api<{ url: string }>("POST", "/sign_in_links", body);
    return lastPart(url);
  }

  /** The cookie of the answer is then in the window. */
  async #post(context: BrowserContext, path: string, data: object): Promise<void> {
    const answer = await context.request.post(`${this.url}/api/v1${path}`, { data });
    expect([answer.status(), await answer.text()]).toEqual([200, expect.any(String)]);
  }

  /** Opens a screen of the organization, such as `/users`, by default in a window of the test. */
  async open(path = "", context?: BrowserContext): Promise<Page> {
    const page = await (context?.newPage() ?? this.windowOfTest());
    await page.goto(this.address(path));
    return page;
  }

  /** A signed-in window that is closed when the test ends: screens that are open ask the server for news again and again. */
  async windowOfTest(): Promise<Page> {
    const context = await this.signIn();
    onTestFinished(() => context.close());
    return context.newPage();
  }

  /** The address of a screen of the organization. */
  address(path = ""): string {
    return `${this.url}/o/${this.organization.id}${path}`;
  }

  /** Calls the API as the operator, in the organization. */
  api<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    return callApi<Answer>(this.url, {
      method,
      path,
      headers: { authorization: `Bearer ${this.#adminToken}`, [names.organization]: this.organization.id },
      body,
    });
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

function lastPart(url: string): string {
  return url.split("/").at(-1) ?? "";
}

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: HEADLESS_CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
}

/** Asks for violations alone: describing every element that is right took half of the time. */
const FIND_VIOLATIONS = `axe
  .run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    resultTypes: ["violations"],
  })
  .then(({ violations }) => violations
    .map(({ id, help, nodes }) => id + ": " + help + ": " + nodes.map(({ html }) => html.slice(0, 200)).join(" | ")))`;

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Fails when the page breaks a rule for people who use it without a mouse or without seeing it. */
export async function expectAccessible(page: Page): Promise<void> {
  // A screen whose code is still being loaded has no title.
  await page.locator("h1").first().waitFor({ state: "attached" });
  // What is about to be replaced is pale for a moment.
  await expect.poll(() => page.locator("[data-outdated]").count(), PATIENCE).toBe(0);
  await page.evaluate(AXE);
  expect(await page.evaluate<string[]>(FIND_VIOLATIONS)).toEqual([]);
}

/** What breaks the content security policy in any page of a window, from now on: the rule, what broke it, and where. */
export async function violationsIn(context: BrowserContext): Promise<string[]> {
  const violations: string[] = [];
  await context.exposeFunction("noteViolation", (violation: string) => violations.push(violation));
  await context.addInitScript(`document.addEventListener("securitypolicyviolation", (event) => {
    const { effectiveDirective, blockedURI, sample, target } = event;
    noteViolation([location.href, effectiveDirective, blockedURI, sample, target?.outerHTML?.slice(0, 300)].join(" "));
  })`);
  return violations;
}
