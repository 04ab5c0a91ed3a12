// @module-tag long
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readConfig } from "../runtime/settings/config.js";
import type { Questions } from "../storage/questions/questions.js";
import { ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { Sender } from "../testing/sender.js";
import { createTestDatabase } from "../testing/test-database.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";
import { openQuestions } from "./open-questions.js";

// Several servers on one database, each with some of the roles. They share one question engine, as they would share a
// ClickHouse server.
const PATIENTLY = { timeout: 60_000, interval: 50 };
let folder: string;
let close: () => Promise<void>;
let app: ConnectorApp;
let questions: Questions;
/** What the processes have told each other. */
const told = new Set<string>();
const servers = new Map<string, TestServer>();
const environment: Record<string, string> = {};

async function open(name: string, roles: string): Promise<TestServer> {
  const server = await openTestServer({ ...environment, ROLES: roles }, { openQuestions: async () => questions });
  await server.listen();
  servers.set(name, server);
  return server;
}

async function stop(name: string): Promise<void> {
  await servers.get(name)?.close();
  servers.delete(name);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-shared-"));
  const events = { onSlow: () => {}, onOpened: () => {}, onProblem: () => {} };
  const opened = await openQuestions(readConfig({ DATA_DIR: folder }), events);
  close = () => opened.close();
  // The servers do not close what others use. Its methods need the engine as `this`.
  questions = new Proxy(opened, {
    get(target, name) {
      if (name === "close") return async () => {};
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  Object.assign(environment, {
    DATABASE_URL: await createTestDatabase(),
    CLICKHOUSE_URL: "http://127.0.0.1:9",
    SECRET_KEY: "shared by all",
    ALLOW_PRIVATE_NETWORK: "true",
    DELIVERY_RETRY_MS: "50",
  });
  await open("api", "api,jobs");
  await open("gateway", "gateway");
  for (const name of ["worker 1", "worker 2"]) await open(name, "worker");
  for (const name of ["deliver 1", "deliver 2"]) await open(name, "deliver");
  await servers.get("api")!.database.listen("wake_ups", (payload) => {
    if (payload !== "") told.add((JSON.parse(payload) as { wakeUp: string }).wakeUp);
  });
  app = await ConnectorApp.open(smartManifest());
  await app.install(servers.get("api")!);
}, 200_000);
afterAll(async () => {
  for (const name of [...servers.keys()].reverse()) await stop(name);
  await app?.close();
  await close?.();
  await rm(folder, { recursive: true, force: true });
}, 100_000);

/** Sends a user through the gateway. Returns what a reader of another process finds who waits for the position. */
async function sendAndFind(externalId: string): Promise<unknown> {
  const sender = new Sender(servers.get("gateway")!);
  const { position } = await sender.send([sender.traits({ user: { external_id: externalId } }, { plan: "pro" })]);
  const reader = new Sender(servers.get("api")!);
  const answer = await reader.call("POST", "/search/user_reports", {
    payload: { query: { term: { external_id: externalId } } },
    headers: { "Svc-Wait-For": position },
  });
  return answer.json();
}

const isDelivered = (externalId: string) => app.userMessages.some(({ user }) => user.external_id === externalId);

test("a record goes from the gateway over the worker to the reader and the connector, and each wakes the next", async () => {
  await sendAndFind("first");
  // A process that has just started may not be known to all others.
  await app.until(() => isDelivered("first"));
  told.clear();
  expect(await sendAndFind("woken")).toMatchObject({ pagination: { total: 1 } });
  await app.until(() => isDelivered("woken"));
  await vi.waitFor(
    () => expect([...told]).toEqual(expect.arrayContaining(["appended", "projected", "queued"])),
    PATIENTLY,
  );
}, 100_000);

test("when the processes that have the work stop, others have it, and each change is told once", async () => {
  await stop("worker 1");
  expect(await sendAndFind("second")).toMatchObject({ pagination: { total: 1 } });
  await app.until(() => isDelivered("second"));
  await open("worker 3", "worker");
  await stop("worker 2");
  await stop("deliver 1");
  expect(await sendAndFind("third")).toMatchObject({ pagination: { total: 1 } });
  await app.until(() => isDelivered("third"));
  await open("deliver 3", "deliver");
  await stop("deliver 2");
  expect(await sendAndFind("fourth")).toMatchObject({ pagination: { total: 1 } });
  await app.until(() => isDelivered("fourth"));
  for (const id of ["first", "woken", "second", "third", "fourth"]) {
    expect(app.userMessages.filter(({ user }) => user.external_id === id).length).toBe(1);
  }
}, 200_000);

test("a segment that is created in one process is evaluated in another", async () => {
  const api = new Sender(servers.get("api")!);
  const created = await api.call("POST", "/users_segments", {
    payload: { name: "Pro", query: { term: { traits_plan: "pro" } }, predicate: {} },
  });
  expect(created.statusCode).toBe(201);
  const { id } = created.json<{ id: string }>();
  await vi.waitFor(async () => {
    const sizes = await questions.segmentSizes(servers.get("api")!.first.organization.id, [id]);
    expect(sizes.get(id)).toBeGreaterThan(0);
  }, PATIENTLY);
}, 100_000);
