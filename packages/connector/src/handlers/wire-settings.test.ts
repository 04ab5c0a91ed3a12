import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Manifest, SettingEntry } from "@muster/protocol/manifest";
import { Strategy } from "passport-oauth2";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Connector } from "../connector.js";
import {
  callConnector,
  type FakePlatform,
  type RunningConnector,
  runConnector,
  startFakePlatform,
} from "../testing/index.js";
import type { ConnectorHandlers } from "./connector-handlers.js";

const views = { login: "login.html", home: "home.html", failure: "failure.html", success: "success.html" };
const AUTHORIZE = "https://crm.example.com/authorize";

let platform: FakePlatform;
let directory: string;
let running: RunningConnector | undefined;
beforeEach(async () => {
  platform = await startFakePlatform();
  directory = await mkdtemp(join(tmpdir(), "settings-"));
  await mkdir(join(directory, "views"));
  for (const page of Object.values(views)) {
    const content = `${page} <%= name %> <%- urls.login %> <%= Object.keys(urls).sort() %> <%= connector.id %>`;
    await writeFile(join(directory, "views", page), content);
  }
});
afterEach(async () => {
  await running?.close();
  running = undefined;
  await platform.close();
  await rm(directory, { recursive: true });
});

async function start(declared: Partial<Manifest>, handlers: ConnectorHandlers): Promise<string> {
  const connector = new Connector({
    manifest: { name: "Test", version: "1.0.0", settings_sections: [], ...declared },
    handlers,
    directory,
    port: 0,
    organizations: [platform.url],
    hostSecret: "a-secret-of-the-host",
    clientConfig: { onLog: () => {} },
  });
  running = await runConnector(connector);
  return running.url;
}

describe("a button among the settings", () => {
  const button = { name: "fetch", type: "string", format: "button", url: "/fetch-all", handler: "fetchAll" } as const;

  it("is answered by the handler that it names, with POST and the connector's credentials alone", async () => {
    platform.connector.private_settings = { api_key: "k" };
    const url = await start(
      { private_settings: [button] },
      { buttons: { fetchAll: ({ connector }) => ({ key: connector.private_settings.api_key }) } },
    );
    expect(await platform.call(`${url}/fetch-all`, { body: {} })).toMatchObject({ status: 200, body: { key: "k" } });
    expect((await callConnector(`${url}/fetch-all`, { body: {} })).status).toBe(401);
    expect((await platform.call(`${url}/fetch-all`)).status).toBe(404);
  });

  it("that only starts something is answered before that has ended", async () => {
    const confirm = { fireAndForget: true, text: "Fetch all contacts?" };
    const url = await start(
      { settings: [{ ...button, options: { confirm } }] },
      { buttons: { fetchAll: () => new Promise(() => {}) } },
    );
    expect(await platform.call(`${url}/fetch-all`, { body: {} })).toMatchObject({ status: 200, body: { ok: true } });
  });
});

describe("an authorization among the settings", () => {
  const setting: SettingEntry = {
    name: "oauth",
    type: "string",
    format: "oauth",
    url: "/auth",
    handler: "crm",
    options: { name: "CRM", tokenInUrl: false, strategy: { scope: ["contacts"], authorizationURL: AUTHORIZE } },
  };
  const crm = {
    Strategy,
    options: { clientID: "client", clientSecret: "secret", tokenURL: "https://crm.example.com/token" },
    views,
    isSetup: () => Promise.reject(),
  };

  it("is at its address, with the name and the strategy of the manifest", async () => {
    const url = await start({ private_settings: [setting] }, { oauth: { crm } });
    platform.connector.source_url = url;
    const page = await platform.call(`${url}/auth/`);
    const [view, name, , urls, id] = page.text.split(" ");
    expect([view, name, id]).toEqual(["login.html", "CRM", platform.credentials.id]);
    expect(urls).toBe("failure,home,login,success");
    const login = await callConnector(page.text.split(" ")[2] ?? "");
    const asked = new URL(login.headers.get("location") ?? "");
    expect(asked.origin + asked.pathname).toBe(AUTHORIZE);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      client_id: "client",
      scope: "contacts",
      redirect_uri: `${url}/auth/callback`,
    });
  });

  it("can be at the address of the manifest's key `admin`", async () => {
    const options = { ...crm.options, authorizationURL: AUTHORIZE };
    const url = await start({ admin: "/auth/" }, { oauth: { admin: { ...crm, name: "CRM", options } } });
    expect((await platform.call(`${url}/auth/`)).text).toMatch(/^login\.html CRM /);
    expect((await callConnector(`${url}/auth/`)).status).toBe(401);
  });

  it("needs a name, from the manifest or from the code", async () => {
    const nameless = { ...setting, options: {} };
    await expect(start({ private_settings: [nameless] }, { oauth: { crm } })).rejects.toThrow(
      'The authorization of "oauth" needs the option `name`',
    );
  });
});

describe("a setting whose handler is missing", () => {
  it("is reported at the start, with the other missing handlers", async () => {
    const manifest: Partial<Manifest> = {
      settings: [{ name: "sync", type: "string", format: "button", url: "/sync", handler: "sync" }],
      private_settings: [{ name: "oauth", type: "string", format: "oauth", url: "/auth", handler: "crm" }],
      json: [{ url: "/lists", handler: "lists" }],
    };
    await expect(start(manifest, {})).rejects.toThrow(
      "The manifest names handlers that were not given: buttons: sync, oauth: crm, json: lists.",
    );
  });

  it("is reported when it has no address", async () => {
    const button = { name: "sync", type: "string", format: "button", handler: "sync" } as const;
    await expect(start({ settings: [button] }, { buttons: { sync: () => {} } })).rejects.toThrow(
      'The setting "sync" names the handler "sync" but has no `url`.',
    );
  });

  it("is not asked for when it names no handler: the application may have its own route", async () => {
    const oauth = { name: "oauth", type: "string", format: "oauth", url: "/auth" } as const;
    expect((await callConnector(`${await start({ private_settings: [oauth] }, {})}/auth`)).status).toBe(404);
  });
});
