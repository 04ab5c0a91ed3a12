import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { copyInAndOut } from "./bulk/copy.js";
import { ATTRIBUTES, copyLine, userLine, writeLines } from "./bulk/dataset.js";
import { type Api, openApi } from "./lib/api.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult } from "./lib/bench-result.js";
import { goalMark } from "./lib/goal-mark.js";
import { readTreeMemory, readTreeUsage } from "./lib/process-tree.js";
import { secondsSince } from "./lib/seconds-since.js";
import { type RunningServer, startServer, withDataDir } from "./lib/start-server.js";
import { watchMemory } from "./lib/watch-memory.js";

const USERS = 1_000_000;
// Enough to fill the caches of both engines: the growth is what a large job takes beyond that.
const WARM_UP_USERS = 20_000;
const LOOK_EVERY_MS = 100;
const SAMPLE_EVERY_MS = 250;

interface Job {
  id: string;
  status: string;
  error: string | null;
  progress: { processed: number; rejected: number; processed_bytes: number };
}

// The goals of a machine on which PostgreSQL takes about 3,000 upserts a second, row by row.
const GOALS = { import: 12_000, json: 200_000, csv: 150_000, parquet: 150_000 };
const GOAL_GROWTH_MB = 300;
const ADMIN_TOKEN = "operator-token-of-the-benchmark";
const UNDONE_USERS = 100_000;
const GOAL_UNDO_SECONDS = 60;

interface Run {
  name: string;
  /** Users a second that are expected. */
  goal: number;
  seconds: number;
  /** Processor time of the server and its engines. Other programs on the machine do not change it, as they change `seconds`. */
  cpuSeconds: number;
  growthMb: number;
  bytes: number;
}

/**
 * Imports and extracts a million users with twenty attributes, and compares with PostgreSQL's `COPY` of the same rows. Then it
 * imports 100,000 of them with other values, and undoes that.
 */
export async function run({ scale }: BenchOptions): Promise<BenchResult> {
  const users = Math.round(USERS * scale);
  return withDataDir(async (dataDir) => {
    const source = join(dataDir, "users.ndjson");
    await writeLines(source, users, userLine);
    await writeLines(
      join(dataDir, "warm-up.ndjson"),
      WARM_UP_USERS,
      (index) => `{"userId":"warm-${index}","logins":1}\n`,
    );
    const files = await serveFolder(dataDir);
    const server = await startServer({
      dataDir: join(dataDir, "data"),
      environment: { ALLOW_PRIVATE_NETWORK: "true", MUSTER_ADMIN_TOKEN: ADMIN_TOKEN },
    });
    try {
      await runJob(server, "/import/users", { url: `${files.url}/warm-up.ndjson`, format: "json" });
      await runJob(server, "/extract/users", { url: null, format: "json", query: {} });
      const warmBytes = readTreeMemory(server.pid);
      const measure = async (name: string, goal: number, path: string, body: object): Promise<Run> => {
        const memory = watchMemory(server.pid, SAMPLE_EVERY_MS);
        const cpuBefore = readTreeUsage(server.pid).cpuMs;
        const { seconds, job } = await runJob(server, path, body);
        if (job.progress.processed !== users || job.progress.rejected > 0) throw new Error(JSON.stringify(job));
        const cpuSeconds = (readTreeUsage(server.pid).cpuMs - cpuBefore) / 1_000;
        return {
          name,
          goal,
          seconds,
          cpuSeconds,
          growthMb: (memory.stop() - warmBytes) / 1e6,
          bytes: job.progress.processed_bytes,
        };
      };
      const query = { prefix: { external_id: "user-" } };
      const fields = ["external_id", "email", ...ATTRIBUTES];
      const file = `${files.url}/users.ndjson`;
      const table = { url: null, fields, query };
      const runs = [
        await measure("import to searchable", GOALS.import, "/import/users", { url: file, format: "json" }),
        await measure("extract as JSON", GOALS.json, "/extract/users", { url: null, format: "json", query }),
        await measure("extract as CSV", GOALS.csv, "/extract/users", { ...table, format: "csv" }),
        await measure("extract as Parquet", GOALS.parquet, "/extract/users", { ...table, format: "parquet" }),
      ];
      const undone = await measureUndo(server, files.url, dataDir, Math.min(users, UNDONE_USERS));
      const rows = join(dataDir, "users.tsv");
      await writeLines(rows, users, copyLine);
      const copy = await copyInAndOut(await server.databaseUrl(), rows, join(dataDir, "out"));
      return await resultOf(users, source, runs, [copy.in, copy.outJson, copy.outText, copy.outText], undone);
    } finally {
      await server.stop();
      await files.close();
    }
  });
}

/** Imports users again with other values, undoes that, and undoes the undo. */
async function measureUndo(
  server: RunningServer,
  url: string,
  dataDir: string,
  users: number,
): Promise<BenchResult["tables"][number]> {
  await writeLines(join(dataDir, "others.ndjson"), users, (index) =>
    userLine(index + 1).replaceAll(`user-${index + 1}`, `user-${index}`),
  );
  const options = { url: `${url}/others.ndjson`, format: "json", overwrite: true };
  const overwriting = await runJob(server, "/import/users", options);
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const preview = await runJob(server, `/${overwriting.job.id}/revert`, { dry_run: true }, headers);
  const undo = await runJob(server, `/${overwriting.job.id}/revert`, {}, headers);
  const redo = await runJob(server, `/${undo.job.id}/revert`, {}, headers);
  const row = (name: string, { seconds }: { seconds: number }, goal: number) => [
    name,
    users,
    seconds,
    goal,
    goalMark(seconds <= (goal * users) / UNDONE_USERS),
  ];
  return {
    headings: ["", "users", "s", `goal s for ${UNDONE_USERS.toLocaleString("en")}`, "goal"],
    rows: [
      row("import that overwrites", overwriting, UNDONE_USERS / GOALS.import),
      row("preview of its undo", preview, GOAL_UNDO_SECONDS),
      row("undo", undo, GOAL_UNDO_SECONDS),
      row("undo of the undo", redo, GOAL_UNDO_SECONDS),
    ],
  };
}

async function resultOf(
  users: number,
  source: string,
  runs: Run[],
  copySeconds: number[],
  undone: BenchResult["tables"][number],
): Promise<BenchResult> {
  const { size } = await stat(source);
  const about = `${users.toLocaleString("en")} users with ${ATTRIBUTES.length} attributes, a file of ${Math.round(size / 1e6)} MB`;
  const rows = runs.map(({ name, goal, seconds, cpuSeconds, growthMb, bytes }, index) => {
    const limit = copySeconds[index] ?? Number.NaN;
    const cpuMicroseconds = (1e6 * cpuSeconds) / users;
    const perSecond = users / seconds;
    const isMet = perSecond >= goal && growthMb <= GOAL_GROWTH_MB;
    const share = (100 * limit) / seconds;
    const mark = goalMark(isMet);
    return [name, perSecond, goal, cpuMicroseconds, bytes / 1e6 / seconds, growthMb, mark, users / limit, share];
  });
  const headings = [
    "",
    "users/s",
    "goal",
    "CPU µs/user",
    "MB/s",
    `memory growth MB (goal ${GOAL_GROWTH_MB})`,
    "goals",
    "COPY rows/s",
    "% of COPY",
  ];
  return { about, tables: [{ headings, rows }, undone] };
}

async function runJob(
  server: RunningServer,
  path: string,
  body: object,
  headers = {},
): Promise<{ seconds: number; job: Job }> {
  const startedAt = performance.now();
  let job = await askJob(server, "POST", path, body, headers);
  while (job.status === "scheduled" || job.status === "running") {
    await sleep(LOOK_EVERY_MS);
    job = await askJob(server, "GET", `/${job.id}`);
  }
  if (job.status !== "completed") throw new Error(`The job ${job.status}: ${job.error}`);
  return { seconds: secondsSince(startedAt), job };
}

async function askJob(server: RunningServer, ...request: Parameters<Api>): Promise<Job> {
  return (await (await openApi(server)(...request)).json()) as Job;
}

async function serveFolder(folder: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    createReadStream(join(folder, basename(request.url ?? ""))).pipe(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      await once(server, "close");
    },
  };
}
