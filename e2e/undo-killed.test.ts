// @module-tag long
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../testing/seeded-random.js";
import { startWebServer, type WebServer } from "../testing/start-web-server.js";
import { sized } from "../testing/test-length.js";
import { callApi, connectorHeaders } from "./support/call-api.js";
import { type Credentials, credentialsOf } from "./support/credentials.js";
import { MortalServer } from "./support/mortal-server.js";
import { PATIENCE } from "./support/patience.js";

const PEOPLE = sized(10_000, 60_000);
const KILLS = sized(2, 8);
const random = seededRandom("moments of kills of an undo");

let server: MortalServer;
let web: WebServer;
let credentials: Credentials;
let plan = "old";
beforeAll(async () => {
  server = await MortalServer.open("undo", { ALLOW_PRIVATE_NETWORK: "true" });
  credentials = await credentialsOf(server.process);
  const line = (index: number) => JSON.stringify({ userId: `u${index}`, plan, [plan]: index });
  web = await startWebServer((_request, response) =>
    response.end(Array.from({ length: PEOPLE }, (_, index) => line(index)).join("\n")),
  );
});
afterAll(async () => {
  await web?.close();
  await server.close();
});

interface Job {
  id: string;
  status: string;
  progress: { processed: number };
  result: Record<string, unknown> | null;
}

function api<Answer>(method: "GET" | "POST", path: string, body?: object): Promise<Answer> {
  const headers = connectorHeaders(credentials);
  return callApi<Answer>(server.url, { method, path, headers, ...(body ? { body } : {}) });
}

async function ended(id: string): Promise<Job> {
  let job: Job | undefined;
  await expect
    .poll(async () => {
      job = await api<Job>("GET", `/${id}`).catch(() => undefined);
      return job?.status;
    }, PATIENCE)
    .toMatch(/completed|failed/);
  return job!;
}

async function importAll(name: string): Promise<Job> {
  plan = name;
  const body = { url: `${web.url}/people.json`, format: "json", overwrite: true };
  return ended((await api<Job>("POST", "/import/users", body)).id);
}

async function countOf(field: string, value?: string): Promise<number> {
  const query = value === undefined ? { exists: { field } } : { term: { [field]: value } };
  const body = { query, per_page: 0 };
  return (await api<{ pagination: { total: number } }>("POST", "/search/user_reports", body)).pagination.total;
}

test(`an undo that is interrupted by ${KILLS} kill -9 does everything once, and so does its undo`, async () => {
  await importAll("old");
  const job = await importAll("new");
  let id = job.id;
  for (const expected of ["old", "new"]) {
    const token = await readFile(join(server.dataDir, "admin.token"), "utf8");
    const headers = { authorization: `Bearer ${token.trim()}` };
    const call = { method: "POST", path: `/${id}/revert`, headers, body: {} };
    const { id: undo } = await callApi<Job>(server.url, call);
    for (let kill = 0; kill < KILLS; kill += 1) {
      // Not a wait for something: the moment of the kill is the input of this test.
      await sleep(random.fraction() * 400);
      await server.killAndRestart();
    }
    const done = await ended(undo);
    expect(done).toMatchObject({ status: "completed" });
    const counts = expected === "old" ? { returned: PEOPLE, unset: PEOPLE } : { returned: 2 * PEOPLE, unset: 0 };
    expect(done.result).toMatchObject({ ...counts, stayed: 0 });
    expect(await countOf("plan", expected)).toBe(PEOPLE);
    expect(await countOf("new")).toBe(expected === "new" ? PEOPLE : 0);
    id = undo;
  }
  // The question engine gives the same answers when it is filled anew.
  await server.muster("rebuild", "--yes");
  expect([await countOf("plan", "new"), await countOf("new"), await countOf("old")]).toEqual([PEOPLE, PEOPLE, PEOPLE]);
}, 600_000);
