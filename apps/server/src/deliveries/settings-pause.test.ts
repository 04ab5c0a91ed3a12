import { ConfigurationError, Connector, type Context } from "@muster/connector";
import { type RunningConnector, runConnector } from "@muster/connector/testing";
import type { UserUpdateMessage } from "@muster/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

let muster: TestServer;
let sender: Sender;
let running: RunningConnector;
let connectorId: string;
/** The key that the handler was called with, and the users that it handled. */
const keys: unknown[] = [];
const handled: unknown[] = [];

beforeAll(async () => {
  muster = await openTestServer({ DELIVERY_RETRY_MS: "20" });
  await muster.listen();
  sender = new Sender(muster);
  const connector = new Connector({
    manifest: {
      name: "Careful",
      version: "1.0.0",
      tags: ["smart-notifier"],
      settings_sections: [],
      private_settings: [{ name: "api_key", type: "string", default: "old" }],
      subscriptions: [{ url: "/smart-notifier", channels: [{ channel: "user:update", handler: "userUpdate" }] }],
    },
    handlers: {
      subscriptions: {
        userUpdate(ctx: Context, messages: UserUpdateMessage[]) {
          const { api_key: key } = ctx.connector.private_settings;
          keys.push(key);
          if (key !== "good") throw new ConfigurationError("The API key was refused.");
          handled.push(...messages.map(({ user }) => user.external_id));
        },
      },
    },
    organizations: [muster.url],
    port: 0,
    clientConfig: { onLog: () => {} },
  });
  running = await runConnector(connector);
  const answer = await operator("POST", "/connectors/install", { url: running.url });
  connectorId = answer.json<{ id: string }>().id;
});
afterAll(async () => {
  await running?.close();
  await muster?.close();
});

function operator(method: "GET" | "POST" | "PUT", path: string, payload?: object) {
  const headers = muster.operatorHeaders;
  return muster.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

async function nextCallIn(): Promise<number> {
  const { next_call_at: at } = (await operator("GET", `/${connectorId}/delivery`)).json<{ next_call_at: string }>();
  return Date.parse(at) - Date.now();
}

test("messages that a connector cannot handle with its settings are sent again when the settings change", async () => {
  await sender.send([sender.traits({ user: { external_id: "waiting" } }, { a: 1 })]);
  await vi.waitFor(async () => expect(await nextCallIn()).toBeGreaterThan(50 * 60_000), { timeout: 15_000 });
  expect(keys).toEqual(["old"]);
  // Its status is not one of its settings.
  await operator("PUT", `/${connectorId}/status`, { status: "error", messages: ["The API key was refused."] });
  await operator("PUT", `/${connectorId}`, { private_settings: { api_key: "worse" } });
  await vi.waitFor(() => expect(keys).toEqual(["old", "worse"]), { timeout: 15_000 });
  await vi.waitFor(async () => expect(await nextCallIn()).toBeGreaterThan(50 * 60_000), { timeout: 15_000 });
  await operator("PUT", `/${connectorId}`, { private_settings: { api_key: "good" } });
  await vi.waitFor(() => expect(handled).toEqual(["waiting"]), { timeout: 15_000 });
});
