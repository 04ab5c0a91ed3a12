import type { UserUpdateMessage } from "@muster/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connector } from "../connector.js";
import {
  type FakePlatform,
  type RunningConnector,
  runConnector,
  segmentRecord,
  startFakePlatform,
} from "../testing/index.js";
import type { NotificationHandlers, NotificationOptions } from "./notification-options.js";

const manifest = { name: "Test", version: "1.0.0", settings_sections: [] };
const customers = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e5", name: "Customers" });
const leads = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e6", name: "Leads" });

let platform: FakePlatform;
let running: RunningConnector;
beforeEach(async () => {
  platform = await startFakePlatform({ segments: [customers, leads] });
});
afterEach(async () => {
  await running.close();
  await platform.close();
});

async function start(handlers: NotificationHandlers, options: NotificationOptions = {}): Promise<string> {
  const connector = new Connector({
    manifest,
    port: 0,
    organizations: [platform.url],
    clientConfig: { onLog: () => {} },
  });
  running = await runConnector(connector, (app) =>
    app.use("/notify", connector.notificationHandler(handlers, options)),
  );
  return `${running.url}/notify`;
}

describe("an extract", () => {
  const account = { id: "a1", name: "Acme" };
  const records = [
    { id: "u1", email: "a@example.com", segment_ids: [customers.id], account },
    { id: "u2", email: "b@example.com", segment_ids: [] },
    { id: "u3", email: "c@example.com" },
  ];

  it("in JSON is handled in batches, as messages without changes", async () => {
    const batches: UserUpdateMessage[][] = [];
    const url = await start({ "user:update": (_ctx, messages) => void batches.push(messages) }, { maxSize: 2 });
    const file = platform.serve(records.map((record) => JSON.stringify(record)).join("\n"));
    const answer = await platform.call(url, { body: { url: file, format: "json", object_type: "user_report" } });
    expect(answer.status).toBe(200);
    await vi.waitFor(() => expect(batches.map((batch) => batch.length)).toEqual([2, 1]));
    expect(batches[0]?.[0]).toMatchObject({
      user: { id: "u1", email: "a@example.com" },
      account,
      segments: [customers],
      segment_ids: [customers.id],
      events: [],
      changes: { is_new: false, user: {} },
      matchesFilter: true,
    });
  });

  it("in CSV is read by its header, and its records are in the extracted segment", async () => {
    const users: UserUpdateMessage[] = [];
    const url = await start({
      "user:update": (ctx, messages) => void users.push(...messages.filter(() => ctx.isBatch)),
    });
    const file = platform.serve('id,name\nu1,"Ada, Countess"\nu2,Bo\n');
    await platform.call(url, { query: { segment_id: leads.id }, body: { url: file, format: "csv" } });
    await vi.waitFor(() => expect(users).toHaveLength(2));
    expect(users[0]).toMatchObject({ user: { id: "u1", name: "Ada, Countess" }, segments: [leads] });
  });

  it("is filtered only when the connector asked for it", async () => {
    platform.connector.private_settings = { synchronized: [customers.id] };
    const seen: boolean[] = [];
    const url = await start(
      { "user:update": (_ctx, messages) => void seen.push(...messages.map(({ matchesFilter }) => matchesFilter)) },
      { filter: { user_segments: "synchronized" } },
    );
    const body = { url: platform.serve(JSON.stringify(records[1])), format: "json" };
    await platform.call(url, { body });
    await vi.waitFor(() => expect(seen).toEqual([true]));
    await platform.call(url, { query: { source: "connector" }, body });
    await vi.waitFor(() => expect(seen).toEqual([true, false]));
  });

  it("whose file does not exist is answered with an error", async () => {
    const url = await start({ "user:update": () => {} });
    const body = { url: `${platform.url}/nothing`, format: "json" };
    expect(await platform.call(url, { body })).toMatchObject({ status: 503, body: { code: "ERR_TRANSIENT" } });
  });
});
