import type { UserUpdateMessage } from "@muster/protocol";
import type { ErrorRequestHandler } from "express";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { startWebServer } from "../../../../testing/start-web-server.js";
import { Connector } from "../connector.js";
import type { Context } from "../context/context.js";
import { TransientError } from "../errors/transient-error.js";
import type { JobRunner, QueueAdapter, QueuedJob } from "../queue/queue-adapter.js";
import {
  type FakePlatform,
  type RunningConnector,
  runConnector,
  segmentRecord,
  startFakePlatform,
} from "../testing/index.js";
import type { NotificationHandlers, NotificationOptions } from "./notification-options.js";

const PATIENCE = { timeout: 20_000 };
const manifest = { name: "Test", version: "1.0.0", settings_sections: [] };
const customers = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e5", name: "Customers" });
const leads = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e6", name: "Leads" });

/** Keeps jobs until they succeed, also when the connector that took one is closed. */
class DurableQueue implements QueueAdapter {
  readonly isDurable = true;
  failures = 0;
  readonly #jobs: QueuedJob[] = [];
  #run: JobRunner | undefined;

  async add(_queueName: string, job: QueuedJob): Promise<void> {
    this.#jobs.push(job);
    void this.#work();
  }

  async process(_queueName: string, run: JobRunner): Promise<void> {
    this.#run = run;
    void this.#work();
  }

  async close(): Promise<void> {
    this.#run = undefined;
  }

  async #work(): Promise<void> {
    const [job] = this.#jobs;
    if (!job || !this.#run) return;
    try {
      await this.#run(job);
      this.#jobs.shift();
    } catch {
      this.failures += 1;
    }
  }
}

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

  const extractOf = (all: object[]) => ({
    url: platform.serve(all.map((record) => JSON.stringify(record)).join("\n")),
    format: "json",
    object_type: "user_report",
    job_id: "0198c2a4f1d040a1b2c3d4e5",
  });

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

  it("is acknowledged after all its records were handled, however often the call is repeated", async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const handled: number[] = [];
    const url = await start(
      {
        async "user:update"(_ctx, messages) {
          handled.push(messages.length);
          await gate;
        },
      },
      { maxSize: 2 },
    );
    const body = extractOf(records);
    let answers = 0;
    const calls = [1, 2].map(() => platform.call(url, { body }).finally(() => (answers += 1)));
    await vi.waitFor(() => expect(handled).toEqual([2]), PATIENCE);
    expect(answers).toBe(0);
    open();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await platform.call(url, { body })).status).toBe(200);
    expect(handled).toEqual([2, 1]);
  });

  it("that fails in the middle is not acknowledged, and is handled again when the call is repeated", async () => {
    const handled: string[] = [];
    let fails = true;
    const url = await start(
      {
        "user:update"(_ctx, messages) {
          if (fails && handled.length === 1) throw new TransientError("Down.");
          handled.push(...messages.map(({ user }) => user.id));
        },
      },
      { maxSize: 1 },
    );
    const body = extractOf(records);
    expect((await platform.call(url, { body })).status).toBe(503);
    fails = false;
    expect((await platform.call(url, { body })).status).toBe(200);
    expect(handled).toEqual(["u1", "u1", "u2", "u3"]);
  });

  it("is acknowledged at once when it waits in a durable queue, and the next process handles what is left", async () => {
    const queue = new DurableQueue();
    const handled: string[] = [];
    const declared = { ...manifest, tags: ["batch"] };
    const startBatches = async (handler: (ctx: Context, messages: UserUpdateMessage[]) => void) => {
      const handlers = { subscriptions: { "user:update": handler } };
      const options = { manifest: declared, handlers, queue, port: 0, organizations: [platform.url] };
      return runConnector(new Connector({ ...options, clientConfig: { onLog: () => {} } }));
    };
    running = await startBatches(() => {
      throw new Error("The process dies.");
    });
    expect((await platform.call(`${running.url}/batch`, { body: extractOf(records) })).status).toBe(200);
    await vi.waitFor(() => expect(queue.failures).toBe(1), PATIENCE);
    await running.close();
    running = await startBatches((ctx, messages) => {
      if (ctx.isBatch) handled.push(...messages.map(({ user }) => user.id));
    });
    await vi.waitFor(() => expect(handled).toEqual(["u1", "u2", "u3"]), PATIENCE);
    const foreign = { ...extractOf(records), url: "http://127.0.0.1:1/file" };
    expect((await platform.call(`${running.url}/batch`, { body: foreign })).status).toBe(400);
  });

  it("on a foreign host is not read", async () => {
    const hits: string[] = [];
    const foreign = await startWebServer((request, response) => {
      hits.push(String(request.url));
      response.end('{"id":"u1"}');
    });
    onTestFinished(() => foreign.close());
    const handler = vi.fn();
    const url = await start({ "user:update": handler });
    const call = (file: string) => platform.call(url, { body: { url: file, format: "json" } });
    expect(await call(`${foreign.url}/file`)).toMatchObject({ status: 400, body: { code: "foreign_extract" } });
    expect([hits, handler.mock.calls]).toEqual([[], []]);
  });

  it("that fails is left to the application's own error handler when disableErrorHandling is true", async () => {
    const connector = new Connector({
      manifest,
      port: 0,
      organizations: [platform.url],
      clientConfig: { onLog: () => {} },
    });
    const handlers: NotificationHandlers = { "account:update": () => Promise.reject(new Error("Oops.")) };
    running = await runConnector(connector, (app) => {
      app.use("/notify", connector.notificationHandler(handlers, { disableErrorHandling: true }));
      app.use(((error, _request, response, _next) => {
        response.status(418).send(error.message);
      }) as ErrorRequestHandler);
    });
    const body = { ...extractOf(records), object_type: "account_report" };
    const answer = await platform.call(`${running.url}/notify`, { body });
    expect(answer).toMatchObject({ status: 418, text: "Oops." });
  });

  it("whose file does not exist is answered with an error", async () => {
    const url = await start({ "user:update": () => {} });
    const body = { url: `${platform.url}/nothing`, format: "json" };
    expect(await platform.call(url, { body })).toMatchObject({ status: 503, body: { code: "ERR_TRANSIENT" } });
  });
});
