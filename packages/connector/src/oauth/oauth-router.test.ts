import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Strategy } from "passport-oauth2";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Connector } from "../connector.js";
import {
  callConnector,
  type FakePlatform,
  type RunningConnector,
  runConnector,
  startFakePlatform,
} from "../testing/index.js";
import type { OAuthOptions } from "./oauth-router.js";

const manifest = { name: "Test", version: "1.0.0", settings_sections: [], admin: "/auth/" };
const views = { login: "login.html", home: "home.html", failure: "failure.html", success: "success.html" };

let platform: FakePlatform;
let service: Server;
let serviceUrl: string;
/** What the connector sent to the service to get tokens. */
let exchanges: URLSearchParams[];
/** The cookie that the connector set in the browser. */
let cookie: string;
let directory: string;
let running: RunningConnector;
beforeEach(async () => {
  platform = await startFakePlatform();
  exchanges = [];
  service = createServer(async (request, response) => {
    exchanges.push(new URLSearchParams(await text(request)));
    response.setHeader("content-type", "application/json");
    response.end('{"access_token":"access-1","refresh_token":"refresh-1","portal":"eu"}');
  });
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  directory = await mkdtemp(join(tmpdir(), "oauth-"));
  await mkdir(join(directory, "views"));
  for (const page of Object.keys(views)) {
    const template = `${page} <%= name %> <%- urls.login %> <%= locals.error || "" %> <%= locals.total || "" %>`;
    await writeFile(join(directory, "views", `${page}.html`), template);
  }
});
afterEach(async () => {
  await running.close();
  await platform.close();
  service.close();
  await rm(directory, { recursive: true });
});

async function start(more: Partial<OAuthOptions> = {}): Promise<string> {
  const connector = new Connector({
    manifest,
    directory,
    port: 0,
    organizations: [platform.url],
    hostSecret: "a-secret-of-the-host",
    clientConfig: { onLog: () => {} },
  });
  const options = {
    clientID: "client",
    clientSecret: "secret",
    authorizationURL: `${serviceUrl}/authorize`,
    tokenURL: `${serviceUrl}/token`,
    scope: ["contacts"],
  };
  running = await runConnector(connector, (app) => {
    app.use("/auth", connector.oAuthHandler({ name: "CRM", Strategy, options, views, ...more }));
  });
  platform.connector.source_url = running.url;
  return `${running.url}/auth`;
}

/** Comes back from the third party in the browser that went there. */
function comeBack(callback: string, query: Record<string, string>) {
  return callConnector(callback, { query, headers: { cookie } });
}

/** Follows the button on the login page to the page of the third party. */
async function goToService(url: string): Promise<URL> {
  const home = await platform.call(`${url}/`);
  const loginUrl = home.text.split(" ")[2] ?? "";
  const login = await callConnector(loginUrl);
  expect(login.status).toBe(302);
  const setCookie = login.headers.get("set-cookie") ?? "";
  expect(setCookie).toMatch(/HttpOnly.*SameSite=Lax/);
  cookie = setCookie.split(";")[0] ?? "";
  return new URL(login.headers.get("location") ?? "");
}

describe("an authorization", () => {
  it("leads from the login page through the service to its tokens", async () => {
    const accounts: unknown[] = [];
    const url = await start({
      isSetup: () => Promise.reject(),
      async onAuthorize({ ctx, account }) {
        accounts.push(account);
        await ctx.helpers.updateSettings({ token: account?.accessToken });
      },
    });
    expect((await platform.call(`${url}/`)).text).toMatch(/^login CRM /);
    const asked = await goToService(url);
    expect(asked.origin + asked.pathname).toBe(`${serviceUrl}/authorize`);
    expect(asked.searchParams.get("scope")).toBe("contacts");
    const callback = new URL(asked.searchParams.get("redirect_uri") ?? "");
    expect(callback.origin + callback.pathname).toBe(`${url}/callback`);
    const back = await comeBack(callback.href, { code: "the-code" });
    expect(back.status).toBe(302);
    expect(exchanges.map((exchange) => exchange.get("redirect_uri"))).toEqual([callback.href]);
    expect((await callConnector(back.headers.get("location") ?? "")).text).toMatch(/^success CRM /);
    expect(accounts).toMatchObject([{ accessToken: "access-1", refreshToken: "refresh-1", params: { portal: "eu" } }]);
    expect(platform.connector.private_settings).toEqual({ token: "access-1" });
  });

  it("works with the token in `state` for services that compare the callback address exactly", async () => {
    const url = await start({ isSetup: () => Promise.reject(), tokenInUrl: false });
    const asked = await goToService(url);
    expect(asked.searchParams.get("redirect_uri")).toBe(`${url}/callback`);
    const state = asked.searchParams.get("state") ?? "";
    const back = await comeBack(`${url}/callback`, { code: "the-code", state });
    expect(back.headers.get("location")).toContain("/auth/success");
  });

  it("passes on parameters that the person was asked for", async () => {
    class WithPortal extends Strategy {
      override authorizationParams({ portal }: { portal?: string }) {
        return { portal };
      }
    }
    const url = await start({
      Strategy: WithPortal,
      isSetup: () => Promise.reject(),
      async onLogin(request) {
        request.authParams = { portal: "eu" };
      },
    });
    expect((await goToService(url)).searchParams.get("portal")).toBe("eu");
  });

  it("ends on the failure page when the person declines, or the tokens cannot be stored", async () => {
    const url = await start({
      isSetup: () => Promise.reject(),
      onAuthorize: () => Promise.reject(new Error("No room for tokens.")),
    });
    const asked = await goToService(url);
    const callback = asked.searchParams.get("redirect_uri") ?? "";
    const declined = await comeBack(callback, { error: "access_denied" });
    expect(declined.headers.get("location")).toContain("/auth/failure");
    const failed = await comeBack(callback, { code: "the-code" });
    expect([failed.status, failed.text]).toEqual([500, expect.stringContaining("No room for tokens.")]);
  });

  it("is not needed when the connector is set up: the home page is shown with the data of isSetup", async () => {
    const url = await start({ isSetup: async () => ({ total: 12 }) });
    expect((await platform.call(`${url}/`)).text).toMatch(/^home CRM .* 12$/);
  });

  it("ends only in the browser in which it began", async () => {
    const onAuthorize = vi.fn(() => Promise.resolve());
    const url = await start({ isSetup: () => Promise.reject(), onAuthorize });
    const callback = (await goToService(url)).searchParams.get("redirect_uri") ?? "";
    const query = { code: "of-the-attacker" };
    const headers = { cookie: `muster_oauth=${"x".repeat(32)}` };
    expect((await callConnector(callback, { query })).status).toBe(401);
    expect((await callConnector(callback, { query, headers })).status).toBe(401);
    for (const spelling of ["/CALLBACK", "/callback/"]) {
      expect((await platform.call(url + spelling, { query, headers })).status).toBe(401);
    }
    expect(onAuthorize).not.toHaveBeenCalled();
  });

  it("gives the third party a token that opens no page, and that expires", async () => {
    const url = await start({ isSetup: () => Promise.reject() });
    const asked = await goToService(url);
    const callback = asked.searchParams.get("redirect_uri") ?? "";
    const token = asked.searchParams.get("state") ?? "";
    for (const name of ["token", "state"]) {
      expect((await callConnector(`${url}/`, { query: { [name]: token }, headers: { cookie } })).status).toBe(401);
    }
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 3_601_000);
    onTestFinished(() => now.mockRestore());
    expect((await comeBack(callback, { code: "the-code" })).status).toBe(401);
  });

  it("is refused without credentials", async () => {
    const url = await start();
    expect((await callConnector(`${url}/`)).status).toBe(401);
    expect((await callConnector(`${url}/callback`, { query: { code: "c", state: "a.b.c" } })).status).toBe(401);
  });
});

it("needs a host secret and all four views", async () => {
  await start();
  const options = { name: "CRM", Strategy, options: {}, views };
  expect(() => new Connector({ manifest }).oAuthHandler(options)).toThrow("`hostSecret`");
  const connector = new Connector({ manifest, hostSecret: "a-secret-of-the-host" });
  const incomplete = { ...options, views: { ...views, home: "" } };
  expect(() => connector.oAuthHandler(incomplete)).toThrow("needs views for home");
});
