import { createBrand } from "@muster/protocol";
import type { Manifest } from "@muster/protocol/manifest";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connector } from "../connector.js";
import type { ConnectorOptions } from "../connector-options.js";
import { type FakePlatform, type RunningConnector, runConnector, startFakePlatform } from "../testing/index.js";
import { listOwnUrls, OwnRecord } from "./own-record.js";

const MANIFEST: Manifest = {
  name: "Mailer",
  version: "1.0.0",
  tags: ["smart-notifier"],
  settings_sections: [],
  incoming: [{ url: "/in", handler: "take" }],
  json: [{ url: "/lists", handler: "lists" }],
  subscriptions: [{ url: "/notify", channels: [{ channel: "user:update", handler: "send" }] }],
};

let platform: FakePlatform;
let running: RunningConnector;
const handle = vi.fn(() => ({}));
beforeEach(async () => {
  handle.mockClear();
  platform = await startFakePlatform();
});
afterEach(async () => {
  await running.close();
  await platform.close();
});

async function start(options: ConnectorOptions = {}): Promise<Connector> {
  const connector = new Connector({
    manifest: MANIFEST,
    handlers: { incoming: { take: handle }, json: { lists: handle }, subscriptions: { send: handle } },
    port: 0,
    organizations: [platform.url],
    hostSecret: "sixteen-letters-or-more",
    clientConfig: { onLog: () => {} },
    ...options,
  });
  running = await runConnector(connector);
  return connector;
}

/** Calls the connector in every way in which Muster does, with right credentials and a right signature. */
async function callInEveryWay(connector: Connector) {
  const { url } = running;
  const { token } = await connector.contextFor(platform.credentials);
  const answers = [
    await platform.call(`${url}/in`, { body: {} }),
    await platform.call(`${url}/lists`),
    await platform.call(`${url}/lists`, { query: { token: token ?? "", id: "", ship: "", secret: "" } }),
    await platform.notify(`${url}/notify`, { channel: "user:update", messages: [{ user: { id: "1" } }] }),
    await platform.notifyPlainly(`${url}/notify`, "user:update", { user: { id: "1" } }),
  ];
  return answers.map(({ status }) => status);
}

describe("credentials of another connector of the same organization", () => {
  it.each([{ ...MANIFEST, name: "Billing" }, {}])(
    "are accepted for no call when its manifest is %j",
    async (manifest) => {
      const connector = await start();
      platform.connector.manifest = manifest;
      expect(await callInEveryWay(connector)).toEqual([401, 401, 401, 401, 401]);
      expect(handle).not.toHaveBeenCalled();
    },
  );

  it.each([null, "https://billing.example.com/app", "https://mailer.example.com"])(
    "are accepted for no call when it is at %s with a copied manifest, if the connector knows its own address",
    async (source) => {
      const connector = await start({ urls: ["https://mailer.example.com/app/"] });
      Object.assign(platform.connector, { manifest: MANIFEST, source_url: source });
      expect(await callInEveryWay(connector)).toEqual([401, 401, 401, 401, 401]);
      expect(handle).not.toHaveBeenCalled();
    },
  );
});

it("a connector accepts its own credentials in every way, also after its version has changed", async () => {
  const connector = await start();
  platform.connector.manifest = { ...MANIFEST, version: "0.9.0", incoming: [] };
  expect(await callInEveryWay(connector)).toEqual([200, 200, 200, 200, 200]);
});

it("a connector that knows its address accepts its own credentials under another name", async () => {
  const connector = await start({ urls: ["https://mailer.example.com"] });
  platform.connector.manifest = { ...MANIFEST, name: "Mail" };
  platform.connector.source_url = "https://mailer.example.com/";
  expect(await callInEveryWay(connector)).toEqual([200, 200, 200, 200, 200]);
});

it("a connector of one platform serves all organizations of it, asks no other host, and gives others its public address", async () => {
  const connector = await start({
    organizations: [],
    platformUrl: platform.url,
    publicUrl: "https://muster.example.com/bundled/mailer",
    urls: ["muster://mailer"],
  });
  platform.connector.source_url = "muster://mailer";
  const organization = "acme.nowhere.invalid";
  const credentials = { ...platform.credentials, organization };
  const query = { ...credentials, ship: credentials.id };
  const body = JSON.stringify({
    notification_id: "1",
    channel: "user:update",
    configuration: credentials,
    connector: platform.connector,
    messages: [{ user: { id: "1" } }],
  });
  const headers = platform.sign(body, { jti: "1" });
  headers[createBrand().headers.signaturePublicKeyUrl] = `https://${organization}/public-key`;
  const notified = await fetch(`${running.url}/notify`, { method: "POST", headers, body });
  expect(notified.status).toBe(200);
  const asked = await platform.call(`${running.url}/lists`, { query });
  expect(asked.status).toBe(200);
  const ctx = await connector.contextFor(credentials);
  expect(ctx.helpers.webhookUrl("/in")).toMatch("https://muster.example.com/bundled/mailer/in?token=");
  await ctx.client.asUser({ email: "ada@example.com" }).traits({ plan: "pro" });
  expect(platform.entries).toHaveLength(1);
});

it("takes the addresses of the option, or else those of the environment, and refuses what is none", () => {
  const environment = { CONNECTOR_URLS: " https://a.example.com, ,http://localhost:8082 " };
  expect(listOwnUrls(undefined, environment)).toEqual(["https://a.example.com", "http://localhost:8082"]);
  expect(listOwnUrls(["https://c.example.com"], environment)).toEqual(["https://c.example.com"]);
  for (const url of ["mailer.example.com", "ftp://mailer.example.com", "no address"]) {
    expect(() => new OwnRecord(MANIFEST.name, [url])).toThrow("is not an address");
  }
});
