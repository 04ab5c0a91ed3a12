import { copyRows, upsertRows } from "./ingest/baselines.js";
import type { LoadOrder, LoadReport } from "./ingest/load.js";
import { measureEngine } from "./ingest/measure-engine.js";
import type { BenchOptions } from "./lib/bench.js";
import { type Child, startChild } from "./lib/child.js";
import { readTreeUsage } from "./lib/process-tree.js";
import { renderTable } from "./lib/render-table.js";
import { secondsSince } from "./lib/seconds-since.js";
import { type RunningServer, startServer, withDataDir } from "./lib/start-server.js";
import { waitForPosition } from "./lib/wait-for-position.js";
import { watchMemory } from "./lib/watch-memory.js";

const CONNECTIONS = 8;
const SUSTAINED_SECONDS = 120;
const PACED_SECONDS = 30;
const PACE = 5_000;
const USERS = 100_000;

interface Phase {
  name: string;
  report: LoadReport;
  searchableSeconds: number;
  peakMb: number;
  /** Processor time of the server and everything it started, without the process that sends the load. */
  cpuMs: number;
}

/**
 * Measures entries acknowledged and searchable a second and the processor time of each, and compares with PostgreSQL's
 * `COPY` and row-at-a-time upserts. The question engine is measured once more alone, in its own process.
 */
export async function run({ scale }: BenchOptions): Promise<void> {
  await withDataDir(async (dataDir) => {
    const server = await startServer({ dataDir, environment: { MAX_BACKLOG_ENTRIES: "100000" } });
    const load = startChild(new URL("./ingest/load.js", import.meta.url), []);
    try {
      const phases: Phase[] = [];
      const seconds = Math.max(5, SUSTAINED_SECONDS * scale);
      for (const batchSize of [50, 500]) {
        const order = { batchSize, seconds, pace: 0 };
        phases.push(await phase(`batches of ${batchSize}, as fast as the server accepts them`, server, load, order));
      }
      const paced = { batchSize: 50, seconds: Math.max(5, PACED_SECONDS * scale), pace: PACE };
      phases.push(await phase(`batches of 50, ${PACE.toLocaleString("en")} entries/s`, server, load, paced));
      print(phases);

      const databaseUrl = await server.databaseUrl();
      const copied = await copyRows(databaseUrl, Math.round(1_000_000 * Math.min(1, scale)));
      const upserted = await upsertRows(databaseUrl, Math.max(5, 20 * scale), USERS);
      const best = Math.max(...phases.map(({ report, searchableSeconds }) => report.entries / searchableSeconds));
      console.log(
        renderTable(
          ["baseline", "rows/s", "Muster is"],
          [
            ["COPY into plain tables (the limit)", copied, `${((best / copied) * 100).toFixed(1)} % of it`],
            ["row-at-a-time upserts, 8 connections", upserted, `${(best / upserted).toFixed(1)} times it`],
          ],
        ),
      );
    } finally {
      await load.stop();
      await server.stop();
    }
  });
  await measureEngine(scale);
}

async function phase(
  name: string,
  server: RunningServer,
  load: Child,
  { batchSize, seconds, pace }: { batchSize: number; seconds: number; pace: number },
): Promise<Phase> {
  const memory = watchMemory(server.pid, 500);
  const { url, connectorId, secret } = server;
  const order: LoadOrder = {
    url,
    connectorId,
    secret,
    users: USERS,
    batchSize,
    connections: CONNECTIONS,
    seconds,
    pace,
  };
  const { cpuMs } = readTreeUsage(server.pid);
  const startedAt = performance.now();
  load.send(order);
  const report = await load.next<LoadReport>();
  await waitForPosition(server, report.position);
  return {
    name,
    report,
    searchableSeconds: secondsSince(startedAt),
    peakMb: memory.stop() / 1e6,
    cpuMs: readTreeUsage(server.pid).cpuMs - cpuMs,
  };
}

function print(phases: Phase[]): void {
  console.log(
    renderTable(
      [
        "load",
        "entries",
        "acknowledged/s",
        "searchable/s",
        "ack p50 ms",
        "ack p99 ms",
        "refused (503)",
        "peak MB",
        "CPU µs per entry",
      ],
      phases.map(({ name, report, searchableSeconds, peakMb, cpuMs }) => [
        name,
        report.entries,
        report.entries / report.seconds,
        report.entries / searchableSeconds,
        report.p50Ms,
        report.p99Ms,
        report.refused,
        peakMb,
        (1_000 * cpuMs) / report.entries,
      ]),
    ),
  );
}
