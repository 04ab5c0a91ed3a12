import type { LogEntry } from "@muster/client";
import { createCache } from "cache-manager";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Connector } from "./connector.js";
import type { ConnectorOptions } from "./connector-options.js";
import type { Context } from "./context/context.js";
import type { MetricSink } from "./metrics/metric-sink.js";
import {
  type FakePlatform,
  type RunningConnector,
  runConnector,
  segmentRecord,
  startFakePlatform,
} from "./testing/index.js";

const users = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e5" });
const accounts = segmentRecord({ id: "0198c2a4f1d021a1b2c3d4e5", type: "accounts_segment" });

let platform: FakePlatform;
let running: RunningConnector | undefined;
let logs: LogEntry[];
beforeEach(async () => {
  platform = await startFakePlatform({ segments: [users], accountsSegments: [accounts] });
  logs = [];
});
afterEach(async () => {
  await running?.close();
  await platform.close();
});

/** Starts a connector with one endpoint, and returns what calls it. */
async function start(options: ConnectorOptions, handle: (ctx: Context) => unknown) {
  const connector = new Connector({
    manifest: {
      name: "My CRM",
      version: "1.2.3",
      settings_sections: [],
      json: [{ url: "/do", handler: "do" }],
      subscriptions: [
        {
          url: "/notify",
          channels: ["ship:update", "segment:update"].map((channel) => ({ channel, handler: "note" })),
        },
      ],
    },
    handlers: { json: { do: handle }, subscriptions: { note: () => {} } },
    port: 0,
    organizations: [platform.url],
    clientConfig: { onLog: (entry) => void logs.push(entry) },
    ...options,
  });
  const started = await runConnector(connector);
  running = started;
  return {
    url: started.url,
    call: async () => (await platform.call(`${started.url}/do`)).body,
    notify: (channel: string, message: object) =>
      platform.notify(`${started.url}/notify`, { channel, messages: [message] }),
  };
}

describe("the context of a request", () => {
  it("has the client, the connector, the segments, a cache, a metric agent, a queue and the helpers", async () => {
    const jobs: unknown[] = [];
    platform.connector.private_settings = { api_key: "k" };
    const queue = {
      add: async (...given: unknown[]) => void jobs.push(given),
      process: async () => {},
      close: async () => {},
    };
    const { call, url } = await start({ queue }, async (ctx) => {
      await ctx.client.asUser({ external_id: "1" }).traits({ seen: true });
      await ctx.enqueue("sync", { list: 7 }, { priority: 2 });
      const lists = await ctx.cache.wrap("lists", async () => [1, 2]);
      ctx.metric.increment("seen");
      return {
        lists,
        key: ctx.connector.private_settings.api_key,
        segments: [ctx.segments, ctx.accountsSegments],
        helpers: Object.keys(ctx.helpers).sort(),
        baseUrl: ctx.baseUrl,
      };
    });
    expect(await call()).toEqual({
      lists: [1, 2],
      key: "k",
      segments: [[users], [accounts]],
      helpers: ["handleExtract", "requestExtract", "updateSettings", "webhookUrl"],
      baseUrl: url,
    });
    expect(platform.entries).toMatchObject([{ type: "traits", asUser: { external_id: "1" } }]);
    expect(jobs).toMatchObject([["queueApp", { name: "sync", payload: { list: 7 } }, { delayMs: 0, priority: 2 }]]);
  });
});

describe("the connector's name", () => {
  it.each([
    ["is made from the manifest's", {}, "my-crm"],
    ["is the one given", { connectorName: "crm-eu" }, "crm-eu"],
  ])("%s, in logs and metrics", async (_case, options, expected) => {
    const seen: unknown[] = [];
    const sink: MetricSink = {
      increment: (...given) => void seen.push(given),
      value: (...given) => void seen.push(given),
      event: (...given) => void seen.push(given),
    };
    const { call } = await start({ ...options, instrumentation: [sink] }, ({ client, metric }) => {
      client.logger.info("hello");
      metric.value("ship.service_api.remaining", 41, ["api:v2"]);
    });
    await call();
    const { id, organization } = platform.credentials;
    const tags = { connector_name: expected, connector_version: "1.2.3", connector: id, organization };
    expect(seen).toContainEqual(["ship.service_api.remaining", 41, { ...tags, api: "v2" }]);
    expect(logs).toMatchObject([{ message: "hello", context: { connector_name: expected } }]);
  });
});

describe("the cache", () => {
  const settings = ({ connector, segments }: Context) => ({
    v: connector.private_settings.v,
    segments: segments.length,
  });

  it("keeps the connector and the segments until a notification says that they changed", async () => {
    platform.connector.private_settings = { v: 1 };
    const { call, notify } = await start({}, settings);
    expect(await call()).toEqual({ v: 1, segments: 1 });
    platform.connector.private_settings = { v: 2 };
    platform.willAnswer("GET /users_segments", []);
    expect(await call()).toEqual({ v: 1, segments: 1 });
    await notify("ship:update", platform.connector);
    expect(await call()).toEqual({ v: 2, segments: 1 });
    await notify("segment:update", users);
    expect(await call()).toEqual({ v: 2, segments: 0 });
  });

  it("can be one whose values live shortly, for a connector without subscriptions", async () => {
    platform.connector.private_settings = { v: 1 };
    const { call } = await start({ cache: createCache({ ttl: 1 }) }, settings);
    expect(await call()).toEqual({ v: 1, segments: 1 });
    platform.connector.private_settings = { v: 2 };
    await expect.poll(call, { timeout: 10_000 }).toEqual({ v: 2, segments: 1 });
  });
});

it("the port may be given as text, as environment variables are", async () => {
  const { url, call } = await start({ port: "0" }, () => ({ ok: 1 }));
  expect(url).toMatch(/:\d+$/);
  expect(await call()).toEqual({ ok: 1 });
});
