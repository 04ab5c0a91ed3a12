// @module-tag long
import { copyFile, open, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BatchAnswer, type BatchEntry, createBrand } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../testing/seeded-random.js";
import { callApi, connectorHeaders } from "./support/call-api.js";
import { type Credentials, credentialsOf } from "./support/credentials.js";
import { postBatch, userEntry } from "./support/entries.js";
import { MortalServer } from "./support/mortal-server.js";
import { NotifiedApp } from "./support/notified-app.js";
import { PATIENCE } from "./support/patience.js";

const { headers: names } = createBrand();
const USERS = 60;
const random = seededRandom("damage to the engine");

let server: MortalServer;
let app: NotifiedApp;
let credentials: Credentials;
let segments: string[];

beforeAll(async () => {
  server = await MortalServer.open("lost-engine");
  app = await NotifiedApp.open();
  credentials = await credentialsOf(server.process);
  segments = [];
  for (const [name, query] of Object.entries(SEGMENTS)) {
    segments.push((await api<{ id: string }>("POST", "/users_segments", { name, query, predicate: {} })).id);
  }
  await server.muster("connector", "install", app.url);
});
afterAll(async () => {
  await server.close();
  await app.close();
});

const ordered = { has_child: { type: "event", query: { term: { event: "Ordered" } }, min_children: 2 } };
const SEGMENTS = {
  pros: { term: { plan: "pro" } },
  buyers: ordered,
  "recent buyers": {
    has_child: { type: "event", query: { range: { created_at: { gte: "now-1h" } } }, min_children: 1 },
  },
  "not buyers": { bool: { must: [{ exists: { field: "plan" } }], must_not: [ordered] } },
};

async function api<Answer>(method: string, path: string, body?: object, waitFor?: string): Promise<Answer> {
  const headers = { ...connectorHeaders(credentials), ...(waitFor ? { [names.waitFor]: waitFor } : {}) };
  return callApi(server.url, { method, path, headers, body });
}

/** Sends entries and returns the position at which they are searchable. */
async function send(entries: readonly BatchEntry[]): Promise<string> {
  const answer = await postBatch(server.url, credentials, entries);
  return ((await answer.json()) as BatchAnswer).position;
}

/** A round of records that moves users between all segments. */
async function sendRound(round: number): Promise<string> {
  const entries = Array.from({ length: USERS }, (_, n) => {
    const user = `user-${n}`;
    const plan = (n + round) % 3 === 0 ? "pro" : "free";
    const traits = userEntry(credentials, user, "traits", { plan, [`in_${round}`]: n });
    const track = userEntry(credentials, user, "track", { event: "Ordered", properties: { round } });
    return n % 4 === round % 4 ? [traits, track] : [traits];
  }).flat();
  return send(entries);
}

/** The answers to several questions, once a position is searchable. */
async function answers(position: string) {
  const search = (path: string, body: object) =>
    api<{ data: Record<string, unknown>[]; pagination: { total: number } }>("POST", path, body, position);
  const users = await search("/search/user_reports", { query: {}, sort: { external_id: "asc" }, per_page: 1_000 });
  const events = await search("/search/events", { query: {}, sort: { created_at: "asc" }, per_page: 1_000 });
  const found = await Promise.all(
    [{ exists: { field: "in_0" } }, { range: { in_1: { gt: 40 } } }, SEGMENTS.buyers].map(
      async (query) => (await search("/search/user_reports", { query, per_page: 0 })).pagination.total,
    ),
  );
  const sizes = await api<{ name: string; stats: object }[]>("GET", "/users_segments");
  return {
    users: users.data.map(({ indexed_at: _, ...report }) => report),
    events: events.data.map(({ id }) => id).sort(),
    found,
    sizes: sizes.map(({ name, stats }) => [name, stats]),
  };
}

/** The file of the engine, while the server does not run. */
async function engineFile(): Promise<string> {
  const folder = join(server.dataDir, "questions");
  const name = (await readdir(folder)).find((entry) => entry.endsWith(".duckdb"));
  return join(folder, name ?? "");
}

/** The segment moves that the connector was notified of, once its queue is empty. */
async function notifiedMoves() {
  const queued = async () =>
    (await api<{ queued_messages: number }[]>("GET", "/deliveries")).reduce(
      (sum, { queued_messages }) => sum + queued_messages,
      0,
    );
  await expect.poll(queued, PATIENCE).toBe(0);
  return structuredClone(app.moves);
}

const DAMAGES: [string, (file: string) => Promise<void>][] = [
  [
    "is deleted",
    async (file) => {
      await rm(file);
      await rm(`${file}.wal`, { force: true });
    },
  ],
  [
    "is an older copy",
    async (file) => {
      await copyFile(join(server.parent, "older"), file);
      await rm(`${file}.wal`, { force: true });
    },
  ],
  ["is garbage", (file) => writeFile(file, random.bytes(1_000_000))],
  [
    "is torn in its middle",
    async (file) => {
      const handle = await open(file, "r+");
      const { size } = await handle.stat();
      for (let at = 16_384; at < size; at += 50_000) await handle.write(random.bytes(4_096), 0, 4_096, at);
      await handle.close();
    },
  ],
];

test("an engine that was lost is filled again by itself, and no connector is notified of a segment change that did not happen", async () => {
  let position = await sendRound(0);
  await answers(position);
  // A copy of the present file, to be put back later.
  await server.stopAndStart(async () => copyFile(await engineFile(), join(server.parent, "older")));

  for (const [round, [how, damage]] of DAMAGES.entries()) {
    position = await sendRound(round + 1);
    const before = await answers(position);
    const moves = await notifiedMoves();
    expect(moves.length, how).toBeGreaterThan(0);
    await server.killAndRestart(async () => damage(await engineFile()));
    expect(await answers(position), how).toEqual(before);
    expect(await notifiedMoves(), how).toEqual(moves);
  }
  // After that, a real change is notified once.
  const known = (await notifiedMoves()).length;
  position = await send([userEntry(credentials, "newcomer", "traits", { plan: "pro" })]);
  await answers(position);
  expect((await notifiedMoves()).slice(known)).toEqual([
    { user: "newcomer", entered: ["not buyers", "pros"], left: [] },
  ]);
  const aside = (await readdir(join(server.dataDir, "questions"))).filter((name) => name.endsWith(".unreadable"));
  expect(aside.length).toBeGreaterThanOrEqual(1);
}, 240_000);
