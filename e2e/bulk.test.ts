// @module-tag long
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../testing/seeded-random.js";
import { sized } from "../testing/test-length.js";
import { callApi } from "./support/call-api.js";
import { MortalServer } from "./support/mortal-server.js";

const USERS = sized(10_000, 40_000);
const KILLS = sized(2, 4);
// A kill must come while the job runs, and the time a job takes grows with the number of users.
const LONGEST_MS = { import: USERS / 16, extract: USERS / 130 };
const random = seededRandom("moments of kills");

interface Job {
  id: string;
  status: string;
  progress: { processed: number; total: number | null; rejected: number };
  result: object | null;
  error: string | null;
}

let server: MortalServer;
beforeAll(async () => {
  server = await MortalServer.open("bulk");
});
afterAll(() => server.close());

async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const token = (await readFile(join(server.dataDir, "admin.token"), "utf8")).trim();
  return callApi(server.url, { method, path, headers: { authorization: `Bearer ${token}` }, body });
}

async function countUsers(query: object): Promise<number> {
  const body = { query, per_page: 0 };
  return (await ask<{ pagination: { total: number } }>("POST", "/search/user_reports", body)).pagination.total;
}

/** Kills the server at random moments while a job runs, at most `KILLS` times. Returns the number of kills. */
async function killDuring(id: string, longestMs: number): Promise<number> {
  for (let kills = 0; kills < KILLS; kills++) {
    // Not a wait for something: the moment of the kill is the input of the test.
    await sleep(random.fraction() * longestMs);
    if ((await ask<Job>("GET", `/${id}`)).status === "completed") return kills;
    await server.killAndRestart();
  }
  return KILLS;
}

test("an import that kill -9 interrupts at random moments is finished after the restart, with exact counts", async () => {
  const file = join(server.parent, "people.ndjson");
  const line = (index: number) =>
    JSON.stringify({ userId: `u${index}`, email: `u${index}@example.com`, visits: { operation: "inc", value: 1 } });
  await writeFile(file, `not a record\n${Array.from({ length: USERS }, (_, index) => line(index)).join("\n")}\n`);

  const started = await server.muster<Job>("import", "users", file, "--no-wait");
  expect(await killDuring(started.id, LONGEST_MS.import)).toBeGreaterThan(0);
  const job = await server.muster<Job>("jobs", "wait", started.id);

  expect(job).toMatchObject({
    status: "completed",
    error: null,
    progress: { processed: USERS + 1, total: USERS + 1, rejected: 1 },
  });
  expect(await countUsers({ match_all: {} })).toBe(USERS);
  // Every increment took effect once.
  expect(await countUsers({ term: { visits: 1 } })).toBe(USERS);
}, 240_000);

test("an extract that kill -9 interrupts at random moments is finished after the restart, with exact counts", async () => {
  let kills = 0;
  for (let attempt = 0; attempt < 10 && kills === 0; attempt++) {
    const body = { url: null, format: "csv", fields: ["external_id", "visits"], query: {} };
    const started = await ask<Job>("POST", "/extract/users", body);
    kills = await killDuring(started.id, LONGEST_MS.extract);
    const job = await server.muster<Job & { download_url: string }>("jobs", "wait", started.id);
    expect(job).toMatchObject({ status: "completed", progress: { processed: USERS } });
    const content = await (await fetch(job.download_url)).text();
    const rows = content.split("\r\n").slice(1, -1);
    expect(rows).toHaveLength(USERS);
    expect(new Set(rows).size).toBe(USERS);
    expect(rows).toContain('"u0","1"');
  }
  expect(kills).toBeGreaterThan(0);
}, 240_000);

test("an extract, compressed or as CSV, can be imported again by the command and changes no user", async () => {
  const json = join(server.parent, "extract.ndjson.gz");
  const csv = join(server.parent, "extract.csv");
  const query = JSON.stringify({ prefix: { external_id: "u1000" } });
  const extracted = await server.muster<Job>("extract", "users", "--query", query, "--out", json);
  const lines = gunzipSync(await readFile(json))
    .toString()
    .trimEnd()
    .split("\n");
  expect(lines).toHaveLength(extracted.progress.processed);
  await server.muster<Job>(
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
    const job = await server.muster<Job>("import", "users", file, "--overwrite");
    expect(job).toMatchObject({ status: "completed", progress: { processed: lines.length, rejected: 0 } });
  }
  expect(await countUsers({ match_all: {} })).toBe(USERS);
  expect(await countUsers({ term: { visits: 1 } })).toBe(USERS);
  const dry = await server.muster<Job>("import", "users", csv, "--dry-run", "--trait", "source=csv");
  expect(dry.result).toMatchObject({ records: lines.length, new: 0, updated: lines.length, refused: 0 });
  const jobs = await server.muster<Job[]>("jobs", "list");
  expect(jobs.every(({ status }) => status === "completed")).toBe(true);
});

test("the command reports what is wrong with a file", async () => {
  const csv = join(server.parent, "bad.csv");
  await writeFile(csv, "external_id,visits\nu1,many\n");
  await expect(server.muster("import", "users", csv)).rejects.toMatchObject({
    code: 1,
    stderr: 'Refused, as a whole or in part: the only row.\n  line 2: The column "visits" is not a number.\n',
  });
  await expect(server.muster("import", "users", join(server.parent, "none"))).rejects.toMatchObject({
    stderr: expect.stringContaining("There is no file"),
  });
  await expect(server.muster("extract", "users", "--query", "{nonsense")).rejects.toMatchObject({
    stderr: expect.stringContaining("The query is not valid JSON"),
  });
});
