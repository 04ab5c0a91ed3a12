// @module-tag long
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { signToken } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canTest } from "../../../testing/can-test.js";
import { type Api, openApi } from "../lib/api.js";
import type { RunningServer } from "../lib/start-server.js";
import { waitForPosition } from "../lib/wait-for-position.js";
import { EVENTS_PER_USER } from "./attributes.js";
import type { fillDataDir as Fill, FilledDataDir } from "./fill-data-dir.js";
import { userDocument, userId } from "./generate.js";

const isLinux = canTest(process.platform === "linux", "Filling is not tested: benchmarks run on Linux only.");
const USERS = 1_000;
// Two starts of a server and a rebuild take a few seconds, and minutes beside much other work.
const LIMIT_MS = 300_000;

let dataDir: string;
let filled: FilledDataDir;
let before: Stored;
beforeAll(async () => {
  if (!isLinux) return;
  dataDir = await mkdtemp(join(tmpdir(), "muster-fill-"));
  const { fillDataDir } = await built<{ fillDataDir: typeof Fill }>("dataset/fill-data-dir.js");
  filled = await fillDataDir(dataDir, { users: USERS, now: 1_790_000_000, hasEvents: true, hasProfiles: true });
  before = await readStored(filled.org);
}, LIMIT_MS);
afterAll(() => rm(dataDir, { recursive: true, force: true }));

// Filling starts processes of built modules.
function built<Module>(path: string): Promise<Module> {
  return import(new URL(`../../dist/${path}`, import.meta.url).href) as Promise<Module>;
}

interface Stored {
  users: Record<string, unknown>[];
  accounts: Record<string, unknown>[];
  events: Record<string, unknown>[];
}

/** What the question engine has stored: subjects by their ids, events in the order in which they were written. */
async function readStored(org: string): Promise<Stored> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`attach '${join(dataDir, "questions", `${org}.duckdb`)}' as f (read_only)`);
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJS();
  // The columns of fields are numbered in the order in which they came, which may be another one.
  const fields = await read("select kind, key, 'field_' || place as name from f.fields");
  const subjects = (kind: string, table: string) => {
    const names = fields.filter((field) => field.kind === kind).map(({ key, name }) => `${name} as "${key} field"`);
    return read(`select * rename (${names.join(", ")}) from f.${table} order by id`);
  };
  const stored = {
    users: await subjects("user", "users"),
    accounts: await subjects("account", "accounts"),
    events: await read("select * from f.events order by rowid"),
  };
  connection.closeSync();
  instance.closeSync();
  return stored;
}

async function withServer<Result>(work: (server: RunningServer, api: Api) => Promise<Result>): Promise<Result> {
  const { startServer } = await built<typeof import("../lib/start-server.js")>("lib/start-server.js");
  const server = { ...(await startServer({ dataDir })), connectorId: filled.connectorId, secret: filled.secret };
  try {
    return await work(server, openApi(server));
  } finally {
    await server.stop();
  }
}

/** Rows without when they were written: a column and a part of the document, which a rebuild changes. */
function withoutIndexedAt(rows: Record<string, unknown>[]): unknown[] {
  const times = new Set(
    rows.map(({ doc }) => Date.parse((JSON.parse(String(doc)) as { indexed_at: string }).indexed_at)),
  );
  return rows.map((row) => {
    const kept = Object.entries(row).filter(([, value]) => typeof value !== "number" || !times.has(value));
    return { ...Object.fromEntries(kept), doc: String(row.doc).replace(/"indexed_at":"[^"]+",?/, "") };
  });
}

test.runIf(isLinux)("generated users have the values that JavaScript generates for their numbers", () => {
  const reports = before.users.map(({ doc }) => JSON.parse(String(doc)) as Record<string, unknown>);
  const expected = Array.from({ length: USERS }, (_, n) => userDocument(n).report);
  const { indexed_at: _, ...fields } = expected[0] ?? {};
  expect(reports.map(({ indexed_at: _, ...report }) => report)).toEqual(
    expected.map(({ indexed_at: _, ...report }) => report),
  );
  expect(Object.keys(reports[0] ?? {}).sort()).toEqual([...Object.keys(fields), "indexed_at"].sort());
});

test.runIf(isLinux)("generated events are in the order of their time, each once, of generated users", () => {
  const { events, users } = before;
  expect(events).toHaveLength(USERS * EVENTS_PER_USER);
  expect(new Set(events.map(({ key }) => key)).size).toBe(events.length);
  const times = events.map(({ created_at }) => Number(created_at));
  expect(times).toEqual([...times].sort((one, other) => one - other));
  const keys = new Map(users.map(({ id, key }) => [id, key]));
  expect(events.filter(({ user_id, user_key }) => keys.get(user_id) !== user_key)).toEqual([]);
});

test.runIf(isLinux)(
  "the server makes the same documents from the profiles, and applies records to them",
  async () => {
    await withServer(async (server, api) => {
      const user = (await (await api("GET", `/${userId(7)}`)).json()) as { stats: { actions: Record<string, number> } };
      expect(user.stats.actions).toEqual(countedEventsOf(userId(7)));
      await rebuild(server);
      const position = await sendPlan(server, "user-7", "renamed");
      await waitForPosition(server, position);
      const found = await api("POST", "/search/user_reports", { query: { term: { plan: "renamed" } }, per_page: 5 });
      const { data } = (await found.json()) as { data: { id: string }[] };
      expect(data.map(({ id }) => id)).toEqual([userId(7)]);
    });
    const after = await readStored(filled.org);
    const others = (rows: Record<string, unknown>[]) => withoutIndexedAt(rows.filter(({ id }) => id !== userId(7)));
    expect(others(after.users)).toEqual(others(before.users));
    expect(withoutIndexedAt(after.accounts)).toEqual(withoutIndexedAt(before.accounts));
  },
  LIMIT_MS,
);

/** How many events of each name a user has in the question engine. */
function countedEventsOf(id: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { event } of before.events.filter(({ user_id }) => user_id === id)) {
    counts[String(event)] = (counts[String(event)] ?? 0) + 1;
  }
  return counts;
}

/** Has the question engine filled again from PostgreSQL. */
async function rebuild({ url }: RunningServer): Promise<void> {
  const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  const operate = async (method: string) => {
    const answer = await fetch(`${url}/api/v1/rebuild${method === "GET" ? "?all=true" : ""}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(method === "GET" ? {} : { body: JSON.stringify({ all: true }) }),
    });
    const list = (await answer.json()) as { phase: string }[];
    if (!answer.ok) throw new Error(JSON.stringify(list));
    return list;
  };
  await operate("POST");
  while (!(await operate("GET")).every(({ phase }) => phase === "done")) await sleep(50);
}

async function sendPlan({ url, connectorId, secret }: RunningServer, external_id: string, plan: string) {
  const now = new Date().toISOString();
  const claims = { iss: connectorId, iat: Math.floor(Date.now() / 1_000), "io.svc.subjectType": "user" };
  const token = signToken({ ...claims, "io.svc.asUser": { external_id } }, secret);
  const batch = [{ type: "traits", timestamp: now, headers: { "Svc-Access-Token": token }, body: { plan } }];
  const answer = await fetch(`${url}/firehose`, {
    method: "POST",
    headers: { "content-type": "application/json", "svc-app-id": connectorId, "svc-access-token": secret },
    body: JSON.stringify({ timestamp: now, sentAt: now, batch }),
  });
  return ((await answer.json()) as { position: string }).position;
}
