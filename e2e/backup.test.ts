// @module-tag long
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { open, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createBrand } from "@muster/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createEmptyDatabase } from "../apps/server/src/testing/test-database.js";
import { freePort } from "../testing/free-port.js";
import { callApi, connectorHeaders } from "./support/call-api.js";
import { CountedLoad, type Counts } from "./support/counted-load.js";
import { type Credentials, credentialsOf } from "./support/credentials.js";
import { postBatch, userEntry } from "./support/entries.js";
import { MortalServer } from "./support/mortal-server.js";
import { MUSTER, type MusterProcess, REPOSITORY, startMuster } from "./support/muster-process.js";
import { PATIENCE } from "./support/patience.js";
import { StoppingProxy } from "./support/stopping-proxy.js";

const { headers: names } = createBrand();
const SLOW = 240_000;
interface Backup {
  created_at: string;
  rows: number;
  keys: string;
  organizations: { namespace: string; position: string }[];
}

let server: MortalServer;
let credentials: Credentials;
let passphraseFile: string;
const started: MusterProcess[] = [];
beforeAll(async () => {
  server = await MortalServer.open("backup");
  credentials = await credentialsOf(server.process);
  passphraseFile = join(server.parent, "passphrase");
  await writeFile(passphraseFile, "the passphrase of this test\n");
  const body = { name: "Counted", query: { range: { total: { gte: 3 } } }, predicate: {} };
  await callApi(server.url, { method: "POST", path: "/users_segments", headers: connectorHeaders(credentials), body });
  // Some megabytes that cannot be compressed, so that a backup takes more than a moment.
  for (let batch = 0; batch < 6; batch++) {
    const entries = Array.from({ length: 16 }, (_, n) =>
      userEntry(credentials, `large-${batch}-${n}`, "traits", { noise: randomBytes(40_000).toString("base64") }),
    );
    expect((await postBatch(server.url, credentials, entries)).status).toBe(200);
  }
}, SLOW);
afterAll(async () => {
  for (const one of started) one.killGroup("SIGTERM");
  await Promise.all(started.map(({ ended }) => ended));
  await server.close();
});

/** Starts the command in a process group of its own. */
function start(args: readonly string[], environment: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [MUSTER, ...args], {
    cwd: REPOSITORY,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, MUSTER_URL: server.url, DATA_DIR: server.dataDir, ...environment },
  });
}

async function run(args: readonly string[], environment: Record<string, string> = {}) {
  const child = start(args, environment);
  child.stdin?.end();
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, "close")]);
  return { code: code as number | null, stdout, stderr };
}

async function succeed<Answer>(args: readonly string[], environment: Record<string, string> = {}): Promise<Answer> {
  const { code, stdout, stderr } = await run([...args, "--json"], environment);
  expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Answer;
}

const withPassphrase = (...args: string[]) => [...args, "--passphrase-file", passphraseFile];

function positionOf({ organizations }: Backup): string {
  return organizations.find(({ namespace }) => namespace === "default")?.position ?? "";
}

/** Starts a server on restored data, which is stopped at the end. */
async function startOn(dataDir: string, environment: Record<string, string> = {}): Promise<MusterProcess> {
  const restored = startMuster({
    dataDir,
    port: await freePort(),
    command: [process.execPath, "apps/server/bundle/main.js", "--json"],
    environment: { LOG_LEVEL: "error", UV_THREADPOOL_SIZE: "16", ...environment },
  });
  started.push(restored);
  await restored.ready();
  return restored;
}

/** What a server answers about the counted users, once the position is searchable. */
async function countsOf(url: string, position: string): Promise<Counts & { segment: number; large: number }> {
  const headers = { ...connectorHeaders(credentials), [names.waitFor]: position };
  const search = async (path: string, query: object) =>
    callApi<{ data: { external_id: string; traits_total: number }[]; pagination: { total: number } }>(url, {
      method: "POST",
      path: `/search/${path}`,
      headers,
      body: { query, per_page: 100 },
    });
  const users = await search("user_reports", { exists: { field: "total" } });
  const segments = await callApi<{ id: string; name: string }[]>(url, {
    method: "GET",
    path: "/users_segments",
    headers,
  });
  const id = segments.find(({ name }) => name === "Counted")?.id;
  return {
    totals: Object.fromEntries(users.data.map(({ external_id, traits_total }) => [external_id, traits_total])),
    events: (await search("events", { term: { event: "Counted" } })).pagination.total,
    segment: (await search("user_reports", { term: { segment_ids: id } })).pagination.total,
    large: (await search("user_reports", { exists: { field: "noise" } })).pagination.total,
  };
}

function expectedAt(loads: readonly CountedLoad[], position: string) {
  const totals: Record<string, number> = {};
  let events = 0;
  for (const counts of loads.map((load) => load.countsAt(position))) {
    for (const [user, total] of Object.entries(counts.totals)) totals[user] = (totals[user] ?? 0) + total;
    events += counts.events;
  }
  return { totals, events, segment: Object.values(totals).filter((total) => total >= 3).length, large: 96 };
}

test(
  "a backup under load, restored on other data directories, has everything up to its position and nothing after it",
  async () => {
    const loads = [1, 2].map(() => new CountedLoad(server.url, credentials));
    const stop = new AbortController();
    const sending = Promise.all(loads.map((load) => load.run(stop.signal)));
    const sentByAll = (count: number) => vi.waitUntil(() => loads.every(({ sent }) => sent.length >= count), PATIENCE);
    await sentByAll(5);
    const file = join(server.parent, "first.backup");
    const backup = await succeed<Backup>(withPassphrase("backup", file));
    await sentByAll(Math.max(...loads.map(({ sent }) => sent.length)) + 5);
    stop.abort();
    await sending;
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await succeed<Backup>(withPassphrase("backup", "--verify", file))).toMatchObject({
      rows: backup.rows,
      keys: "opened",
    });

    const position = positionOf(backup);
    const expected = expectedAt(loads, position);
    const last = loads.flatMap(({ sent }) => sent.map((batch) => batch.position)).at(-1) ?? "";
    expect(expectedAt(loads, last).events).toBeGreaterThan(expected.events);

    // From the embedded database to one by URL.
    const DATABASE_URL = await createEmptyDatabase();
    const byUrl = { DATA_DIR: join(server.parent, "by url"), DATABASE_URL };
    await succeed(withPassphrase("restore", file), byUrl);
    const second = await startOn(byUrl.DATA_DIR, byUrl);
    await vi.waitFor(async () => expect(await countsOf(second.url, position)).toEqual(expected), PATIENCE);

    // And from there to an embedded one.
    const secondFile = join(server.parent, "second.backup");
    const again = await succeed<Backup>(withPassphrase("backup", secondFile), { ...byUrl, MUSTER_URL: second.url });
    expect(positionOf(again)).toBe(position);
    const embedded = { DATA_DIR: join(server.parent, "embedded") };
    await succeed(withPassphrase("restore", secondFile), embedded);
    const third = await startOn(embedded.DATA_DIR);
    await vi.waitFor(async () => expect(await countsOf(third.url, position)).toEqual(expected), PATIENCE);
  },
  SLOW,
);

test(
  "kill -9 of the command in the middle leaves no file that looks like a backup, and the next backup works",
  async () => {
    const proxy = await StoppingProxy.open(server.url, 2_000_000);
    const file = join(server.parent, "killed.backup");
    const child = start(withPassphrase("backup", file), { MUSTER_URL: proxy.url });
    await proxy.reached;
    await vi.waitUntil(() => existsSync(`${file}.part`), PATIENCE);
    process.kill(-child.pid!, "SIGKILL");
    await once(child, "close");
    proxy.close();
    const left = (await readdir(server.parent)).filter((name) => name.startsWith("killed"));
    expect(left).toEqual(["killed.backup.part"]);
    expect(await run(["backup", "--verify", `${file}.part`])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("its end mark is missing"),
    });
    // The server notices that the reader has closed the connection.
    await vi.waitFor(async () => expect((await run(withPassphrase("backup", file))).code).toBe(0), PATIENCE);
    expect((await run(["backup", "--verify", file])).code).toBe(0);
  },
  SLOW,
);

test("a backup to standard output fails when its reader closes the pipe", async () => {
  const child = start(withPassphrase("backup", "-"));
  child.stdin?.end();
  child.stdout?.destroy();
  const [said, [code]] = await Promise.all([text(child.stderr!), once(child, "close")]);
  expect([code, said]).toEqual([1, expect.stringContaining("before the backup was complete")]);
});

test(
  "kill -9 of the server in the middle fails the command and leaves no file, and the former backup stays",
  async () => {
    const proxy = await StoppingProxy.open(server.url, 2_000_000);
    const file = join(server.parent, "nightly.backup");
    await writeFile(file, "the backup of yesterday");
    const child = start(withPassphrase("backup", file), { MUSTER_URL: proxy.url });
    const said = text(child.stderr!);
    await proxy.reached;
    const ended = once(child, "close");
    await server.killAndRestart();
    // The proxy holds bytes back, and so the end of the connection behind them.
    proxy.close();
    const [code] = (await ended) as [number];
    expect([code, await said]).toEqual([1, expect.stringMatching(/cut off|terminated|closed/)]);
    expect((await readdir(server.parent)).filter((name) => name.startsWith("nightly"))).toEqual(["nightly.backup"]);
    expect(await readFile(file, "utf8")).toBe("the backup of yesterday");
  },
  SLOW,
);

test(
  "after kill -9 of a restore no server starts on its data directory, and the restore can be run again",
  async () => {
    const file = join(server.parent, "whole.backup");
    await succeed(withPassphrase("backup", file));
    const content = await readFile(file);
    const DATA_DIR = join(server.parent, "killed restore");
    const child = start(withPassphrase("restore", "-"), { DATA_DIR });
    child.stdin?.on("error", () => {});
    child.stdin?.write(content.subarray(0, content.length / 2));
    await vi.waitUntil(() => stat(join(DATA_DIR, "postgres", "PG_VERSION")).catch(() => false), PATIENCE);
    process.kill(-child.pid!, "SIGKILL");
    await once(child, "close");
    const refused = await run(["start", "--port", "0"], { DATA_DIR });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("was broken off. Run `muster restore` again"),
    ]);
    await succeed(withPassphrase("restore", file), { DATA_DIR });
    expect(await run(withPassphrase("restore", file), { DATA_DIR })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not empty"),
    });
  },
  SLOW,
);

test(
  "a flipped bit and a wrong passphrase are found by --verify",
  async () => {
    const file = join(server.parent, "damaged.backup");
    await succeed(withPassphrase("backup", file));
    const wrong = await run(["backup", "--verify", file], { MUSTER_BACKUP_PASSPHRASE: "another passphrase" });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("The passphrase is not the one")]);
    const { size } = await stat(file);
    const handle = await open(file, "r+");
    const byte = Buffer.alloc(1);
    await handle.read(byte, 0, 1, Math.floor(size / 2));
    byte[0]! ^= 4;
    await handle.write(byte, 0, 1, Math.floor(size / 2));
    await handle.close();
    const damaged = await run(["backup", "--verify", file]);
    expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringContaining("The backup is damaged in the table")]);
  },
  SLOW,
);
