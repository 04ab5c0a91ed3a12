import { copyRows, upsertRows } from "./ingest/baselines.js";
import type { LoadOrder, LoadReport } from "./ingest/load.js";
import { measureEngine } from "./ingest/measure-engine.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult, Chart, ResultTable } from "./lib/bench-result.js";
import { type Child, startChild } from "./lib/child.js";
import { readTreeUsage } from "./lib/process-tree.js";
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
export async function run({ scale }: BenchOptions): Promise<BenchResult> {
  const result = await withDataDir(async (dataDir) => {
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

      const databaseUrl = await server.databaseUrl();
      const copied = await copyRows(databaseUrl, Math.round(1_000_000 * Math.min(1, scale)));
      const upserted = await upsertRows(databaseUrl, Math.max(5, 20 * scale), USERS);
      const best = Math.max(...phases.map(({ report, searchableSeconds }) => report.entries / searchableSeconds));
      const baselines: ResultTable = {
        headings: ["baseline", "rows/s", "Muster is"],
        rows: [
          ["COPY into plain tables (the limit)", copied, `${((best / copied) * 100).toFixed(1)} % of it`],
          ["row-at-a-time upserts, 8 connections", upserted, `${(best / upserted).toFixed(1)} times it`],
        ],
      };
      return { tables: [tableOf(phases), baselines], charts: chartsOf(phases) };
    } finally {
      await load.stop();
      await server.stop();
    }
  });
  return { ...result, tables: [...result.tables, await measureEngine(scale)] };
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

function tableOf(phases: readonly Phase[]): ResultTable {
  return {
    headings: [
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
    rows: phases.map(({ name, report, searchableSeconds, peakMb, cpuMs }) => [
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
  };
}

function chartsOf(phases: readonly Phase[]): Chart[] {
  const seconds = { label: "seconds" };
  const paced = phases.at(-1);
  return [
    {
      name: "ingest-throughput",
      title: "Entries acknowledged a second",
      x: seconds,
      y: { label: "entries/s" },
      lines: phases.map(({ name, report }) => ({
        name,
        points: report.timeline.map(({ second, entries }) => [second, entries]),
      })),
    },
    {
      name: "ingest-latency",
      title: `Time to acknowledge a batch: ${paced?.name}`,
      x: seconds,
      y: { label: "ms" },
      lines: (["p50Ms", "p95Ms", "p99Ms"] as const).map((share) => ({
        name: share.slice(0, 3),
        points: (paced?.report.timeline ?? []).map((moment) => [moment.second, moment[share]]),
      })),
    },
  ];
}
