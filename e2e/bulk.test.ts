import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort, MUSTER, type MusterProcess, REPOSITORY, startMuster } from "./support/muster-process.js";
import { processesMentioning } from "./support/processes.js";

const USERS = 40_000;
const KILLS = 4;

interface Job {
  id: string;
  status: string;
  progress: { processed: number; total: number | null; rejected: number };
  result: object | null;
  error: string | null;
}

let parent: string;
let dataDir: string;
let port: number;
let server: MusterProcess;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "muster-bulk-"));
  dataDir = join(parent, "data");
  port = await freePort();
  await start();
});
afterAll(async () => {
  for (const pid of await processesMentioning(parent)) process.kill(pid, "SIGKILL");
  await server.ended;
  await rm(parent, { recursive: true, force: true, maxRetries: 10 });
});

async function start(): Promise<void> {
  server = startMuster({
    dataDir,
    port,
    command: [process.execPath, "apps/server/dist/main.js", "--json"],
    environment: { LOG_LEVEL: "error", UV_THREADPOOL_SIZE: "16" },
  });
  await server.ready();
}

async function kill(): Promise<void> {
  server.killGroup("SIGKILL");
  expect(await server.ended).toBe("SIGKILL");
  await start();
}

async function muster<Answer>(...args: string[]): Promise<Answer> {
  const { stdout } = await promisify(execFile)(process.execPath, [MUSTER, ...args, "--json"], {
    cwd: REPOSITORY,
    env: { PATH: process.env.PATH, MUSTER_URL: server.url, DATA_DIR: dataDir },
  });
  return JSON.parse(stdout) as Answer;
}

async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return (await answer.json()) as Answer;
}

async function countUsers(query: object): Promise<number> {
  const body = { query, per_page: 0 };
  return (await ask<{ pagination: { total: number } }>("POST", "/search/user_reports", body)).pagination.total;
}

/** Kills the server at random moments of a job, as long as it runs and at most `KILLS` times; returns how often. */
async function killDuring(id: string, longestMs: number): Promise<number> {
  for (let kills = 0; kills < KILLS; kills++) {
    await sleep(Math.random() * longestMs);
    if ((await ask<Job>("GET", `/${id}`)).status === "completed") return kills;
    await kill();
  }
  return KILLS;
}

test("an import through kill -9 at random moments is finished after the restart, with exact counts", async () => {
  const file = join(parent, "people.ndjson");
  const line = (index: number) =>
    JSON.stringify({ userId: `u${index}`, email: `u${index}@example.com`, visits: { operation: "inc", value: 1 } });
  await writeFile(file, `not a record\n${Array.from({ length: USERS }, (_, index) => line(index)).join("\n")}\n`);

  const started = await muster<Job>("import", "users", file, "--no-wait");
  expect(await killDuring(started.id, 2_500)).toBeGreaterThan(0);
  const job = await muster<Job>("jobs", "wait", started.id);

  expect(job).toMatchObject({
    status: "completed",
    error: null,
    progress: { processed: USERS + 1, total: USERS + 1, rejected: 1 },
  });
  expect(await countUsers({ match_all: {} })).toBe(USERS);
  // What was added to was added to once.
  expect(await countUsers({ term: { visits: 1 } })).toBe(USERS);
}, 240_000);

test("an extract through kill -9 at random moments is finished after the restart, with exact counts", async () => {
  let kills = 0;
  for (let attempt = 0; attempt < 10 && kills === 0; attempt++) {
    const body = { url: null, format: "csv", fields: ["external_id", "visits"], query: {} };
    const started = await ask<Job>("POST", "/extract/users", body);
    kills = await killDuring(started.id, 300);
    const job = await muster<Job & { download_url: string }>("jobs", "wait", started.id);
    expect(job).toMatchObject({ status: "completed", progress: { processed: USERS } });
    const content = await (await fetch(job.download_url)).text();
    const rows = content.split("\r\n").slice(1, -1);
    expect(rows).toHaveLength(USERS);
    expect(new Set(rows).size).toBe(USERS);
    expect(rows).toContain('"u0","1"');
  }
  expect(kills).toBeGreaterThan(0);
}, 240_000);

test("what was extracted, compressed and as CSV, is imported again by the command and changes nobody", async () => {
  const json = join(parent, "extract.ndjson.gz");
  const csv = join(parent, "extract.csv");
  const query = JSON.stringify({ prefix: { external_id: "u1000" } });
  const extracted = await muster<Job>("extract", "users", "--query", query, "--out", json);
  const lines = gunzipSync(await readFile(json))
    .toString()
    .trimEnd()
    .split("\n");
  expect(lines).toHaveLength(extracted.progress.processed);
  await muster<Job>(
    "extract",
    "users",
    "--query",
    query,
    "--format",
    "csv",
    "--fields",
    "external_id,email,visits",
    "--out",
    csv,
  );
  for (const file of [json, csv]) {
    const job = await muster<Job>("import", "users", file, "--overwrite");
    expect(job).toMatchObject({ status: "completed", progress: { processed: lines.length, rejected: 0 } });
  }
  expect(await countUsers({ match_all: {} })).toBe(USERS);
  expect(await countUsers({ term: { visits: 1 } })).toBe(USERS);
  const dry = await muster<Job>("import", "users", csv, "--dry-run", "--trait", "source=csv");
  expect(dry.result).toMatchObject({ records: lines.length, new: 0, updated: lines.length, refused: 0 });
  const jobs = await muster<Job[]>("jobs", "list");
  expect(jobs.every(({ status }) => status === "completed")).toBe(true);
}, 120_000);

test("the command says what is wrong with a file", async () => {
  const csv = join(parent, "bad.csv");
  await writeFile(csv, "external_id,visits\nu1,many\n");
  await expect(muster("import", "users", csv)).rejects.toMatchObject({
    stderr: 'Row 2: "many" in the column "visits" cannot be read as numeric.\n',
  });
  await expect(muster("import", "users", join(parent, "none"))).rejects.toMatchObject({
    stderr: expect.stringContaining("There is no file"),
  });
  await expect(muster("extract", "users", "--query", "{nonsense")).rejects.toMatchObject({
    stderr: expect.stringContaining("The query is not valid JSON"),
  });
});
