// @module-tag long
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type BatchAnswer, type BatchEntry, createBrand } from "@muster/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { freePort } from "../testing/free-port.js";
import { callApi } from "./support/call-api.js";
import { type Credentials, credentialsOf } from "./support/credentials.js";
import { postBatch, userEntry } from "./support/entries.js";
import { type MusterProcess, startMuster } from "./support/muster-process.js";
import { NotifiedApp } from "./support/notified-app.js";
import { PATIENCE } from "./support/patience.js";
import { prepareDataDir } from "./support/prepare-data-dir.js";

const { headers: names } = createBrand();
// A thread throws when the process gets its signal. Threads are numbered in the order in which the server starts them.
const BREAKING = { questions: "SIGHUP", pipeline: "SIGUSR2" } as const;
const BREAK_A_THREAD = `
import { BroadcastChannel, isMainThread, threadId } from "node:worker_threads";
const channel = new BroadcastChannel("break");
channel.unref();
if (isMainThread) ["${BREAKING.questions}", "${BREAKING.pipeline}"].forEach((signal, index) => process.on(signal, () => channel.postMessage(index + 1)));
else channel.onmessage = ({ data }) => { if (data === threadId) throw new Error("broken by a test"); };
`;

let folder: string;
let muster: MusterProcess;
let app: NotifiedApp;
let credentials: Credentials;
let operator: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-thread-"));
  app = await NotifiedApp.open();
  await prepareDataDir(join(folder, "data"));
  muster = await start("data");
  credentials = await credentialsOf(muster);
  const token = (await readFile(join(folder, "data", "admin.token"), "utf8")).trim();
  operator = { authorization: `Bearer ${token}` };
});
afterAll(async () => {
  const isRunning = await Promise.race([muster.ended.then(() => false), setImmediate(true)]);
  if (isRunning) muster.kill("SIGTERM");
  await muster.ended;
  await app.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function start(dataDir: string): Promise<MusterProcess> {
  const preload = `data:text/javascript,${encodeURIComponent(BREAK_A_THREAD)}`;
  const started = startMuster({
    dataDir: join(folder, dataDir),
    port: await freePort(),
    command: [process.execPath, "--import", preload, "apps/server/bundle/main.js", "--json"],
    environment: {
      LOG_LEVEL: "info",
      UV_THREADPOOL_SIZE: "16",
      PIPELINE_THREAD: "true",
      ALLOW_PRIVATE_NETWORK: "true",
    },
  });
  await started.ready();
  return started;
}

function api<Answer>(method: string, path: string, body?: object, waitFor?: string): Promise<Answer> {
  const headers = { ...operator, ...(waitFor ? { [names.waitFor]: waitFor } : {}) };
  return callApi(muster.url, { method, path, headers, body });
}

async function send(entries: readonly BatchEntry[]): Promise<string> {
  const answer = await postBatch(muster.url, credentials, entries);
  return ((await answer.json()) as BatchAnswer).position;
}

function traits(user: string, values: Record<string, unknown>): BatchEntry {
  return userEntry(credentials, user, "traits", values);
}

async function countUsers(query: object, position: string): Promise<number> {
  const body = { query, per_page: 0 };
  const { pagination } = await api<{ pagination: { total: number } }>("POST", "/search/user_reports", body, position);
  return pagination.total;
}

test("records are searchable at their position", async () => {
  const users = Array.from({ length: 300 }, (_, index) =>
    traits(`u${index}`, { plan: index % 3 === 0 ? "pro" : "free" }),
  );
  const position = await send(users);
  expect(await countUsers({ term: { plan: "pro" } }, position)).toBe(100);
  const wrong = {
    method: "POST",
    path: "/search/user_reports",
    headers: operator,
    body: { query: { range: { plan: 1 } } },
  };
  await expect(callApi(muster.url, wrong)).rejects.toThrow(/answered 4\d\d: .*query\.range/);
});

test("entries that cannot be applied are shown to people who watch", async () => {
  const recent = (after: number) =>
    api<{ entries: { outcome: string; code: string | null }[]; after: number }>(
      "GET",
      `/ingestion/recent?after=${after}`,
    );
  const { after } = await recent(0);
  await send([traits("u0", { age: 30 })]);
  await send([traits("u0", { age: "thirty" })]);
  await vi.waitFor(async () => {
    const { entries } = await recent(after);
    expect(entries.map(({ outcome }) => outcome)).toEqual(["accepted", "accepted", "rejected"]);
  }, PATIENCE);
});

test("a new segment is swept, and a connector that was just installed is told of moves", async () => {
  const { id } = await api<{ id: string }>("POST", "/users_segments", {
    name: "pros",
    query: { term: { plan: "pro" } },
    predicate: {},
  });
  const size = async () => (await api<{ stats: { users: number } }>("GET", `/${id}`)).stats.users;
  await vi.waitFor(async () => expect(await size()).toBe(100), PATIENCE);
  await api("POST", "/connectors/install", { url: app.url });
  await send([traits("u1", { plan: "pro" })]);
  await vi.waitFor(() => expect(app.moves).toEqual([{ user: "u1", entered: ["pros"], left: [] }]), PATIENCE);
});

test("an extract streams out of the thread", async () => {
  const body = { url: null, format: "csv", fields: ["external_id", "plan"], query: {} };
  const { id } = await api<{ id: string }>("POST", "/extract/users", body);
  const job = await vi.waitUntil(async () => {
    const read = await api<{ status: string; download_url: string }>("GET", `/${id}`);
    return read.status === "completed" && read;
  }, PATIENCE);
  const rows = (await (await fetch(job.download_url)).text()).split("\r\n").slice(1, -1);
  expect(rows).toHaveLength(300);
  expect(rows).toContain('"u0","pro"');
});

test("the metrics add up those of all threads", async () => {
  const text = await (await fetch(`${muster.url}/metrics`)).text();
  const value = (line: string) =>
    Number(
      text
        .split("\n")
        .find((each) => each.startsWith(`${line} `))
        ?.split(" ")[1],
    );
  const accepted = value('muster_ingest_entries_total{outcome="accepted"}');
  expect(accepted).toBe(303);
  expect(value('muster_ingest_entries_total{outcome="applied"}')).toBe(accepted);
  expect(value('muster_pipeline_stage_seconds_count{stage="project"}')).toBeGreaterThan(0);
  expect(value("muster_last_applied_timestamp_seconds")).toBeGreaterThan(1_700_000_000);
  expect(value('muster_engine_up{engine="questions"}')).toBe(1);
  expect(value("process_start_time_seconds")).toBeGreaterThan(1_700_000_000);
  expect(text.match(/^# TYPE muster_ingest_entries_total/gm)).toHaveLength(1);
  if (process.platform !== "linux") return;
  expect(value('muster_thread_cpu_seconds_total{thread="main"}')).toBeGreaterThan(0);
  expect(value('muster_thread_cpu_seconds_total{thread="pipeline"}')).toBeGreaterThan(0);
  expect(value('muster_thread_cpu_seconds_total{thread="questions"}')).toBeGreaterThan(0);
});

test("a stop ends all threads without an error", async () => {
  muster.kill("SIGTERM");
  expect(await muster.ended).toBe(0);
  expect(muster.output()).not.toMatch(/"level":(50|60)/);
});

test.each(["questions", "pipeline"] as const)(
  "an error that nothing catches in the thread %s ends the server, and nothing acknowledged is lost",
  async (thread) => {
    muster = await start("data");
    const position = await send(Array.from({ length: 200 }, (_, index) => traits(`late${index}`, { plan: thread })));
    muster.kill(BREAKING[thread]);
    expect(await muster.ended).toBe(1);
    const told = "a thread has failed, and the server ends";
    const line = muster
      .output()
      .split("\n")
      .find((each) => each.includes(told));
    const err = { message: "broken by a test" };
    expect(JSON.parse(line ?? "{}")).toMatchObject({ level: 50, msg: told, thread, err });
    muster = await start("data");
    expect(await countUsers({ term: { plan: thread } }, position)).toBe(200);
    muster.kill("SIGTERM");
    expect(await muster.ended).toBe(0);
  },
);
