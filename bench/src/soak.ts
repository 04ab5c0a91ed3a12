import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { LoadReport } from "./ingest/load.js";
import { createUsers, type Loaded, sendLoad } from "./ingest/measure-load.js";
import { openApi } from "./lib/api.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult, Chart, ResultTable } from "./lib/bench-result.js";
import { startChild } from "./lib/child.js";
import { secondsSince } from "./lib/seconds-since.js";
import { startServer, withDataDir } from "./lib/start-server.js";
import { judgeSlopes, LEVEL_TABLES, type Slope, sizeOfTables, warmUpSeconds } from "./soak/judge-slopes.js";
import { type Sample, type Sampled, takeSample } from "./soak/sample.js";
import { samplesCsv } from "./soak/samples-csv.js";

const MINUTES = 15;
const USERS = 100_000;
const BATCH_SIZE = 50;
/** The share of the full speed that the load has. */
const SHARE = 0.6;
const FULL_SPEED_SECONDS = 10;
const SAMPLE_SECONDS = 3;
/** A short run is sampled more often, so that its slopes are about enough samples. */
const LEAST_SAMPLES = 40;
// The cache of the question engine grows to its limit. A low limit is reached soon.
const QUESTIONS_MEMORY_BYTES = 512 * 1024 * 1024;
const LARGEST_TABLES = 8;

/**
 * Sends records at 60 % of the full speed for `--minutes`, asks about properties of events beside it, so that these get columns, and
 * finds what grows that must not grow.
 */
export async function run({ scale, minutes = MINUTES }: BenchOptions): Promise<BenchResult> {
  const users = Math.max(100, Math.round(USERS * scale));
  return withDataDir(async (dataDir) => {
    const environment = { MAX_BACKLOG_ENTRIES: "100000", QUESTIONS_MEMORY_BYTES: String(QUESTIONS_MEMORY_BYTES) };
    const server = await startServer({ dataDir, environment });
    const load = startChild(new URL("./ingest/load.js", import.meta.url), []);
    const client = new pg.Client({ connectionString: await server.databaseUrl() });
    try {
      await client.connect();
      const loaded: Loaded = { server, load, users };
      const fullSpeed = await measureFullSpeed(loaded, Math.min(FULL_SPEED_SECONDS, minutes * 20));
      const pace = Math.round(fullSpeed * SHARE);
      console.log(`Full speed is ${fullSpeed.toFixed(0)} entries/s; the load is ${pace} for ${minutes} minutes.`);
      const sending = sendLoad(loaded, { batchSize: BATCH_SIZE, seconds: minutes * 60, pace });
      const sampled = { pid: server.pid, url: server.url, dataDir, api: openApi(server), client };
      const samples = await sampleDuring(sending, sampled, minutes * 60);
      const { report } = await sending;
      return resultOf({ users, fullSpeed, minutes, report, samples });
    } finally {
      await client.end();
      await load.stop();
      await server.stop();
    }
  });
}

/** Entries a second that become searchable when as many are sent as the server accepts. */
async function measureFullSpeed(loaded: Loaded, seconds: number): Promise<number> {
  await createUsers(loaded, seconds);
  const full = await sendLoad(loaded, { batchSize: BATCH_SIZE, seconds, pace: 0 });
  return full.report.entries / full.seconds;
}

async function sampleDuring(sending: Promise<unknown>, sampled: Sampled, seconds: number): Promise<Sample[]> {
  const everyMs = 1_000 * Math.min(SAMPLE_SECONDS, seconds / LEAST_SAMPLES);
  const samples: Sample[] = [];
  let isSending = true;
  const ended = sending.finally(() => {
    isSending = false;
  });
  const startedAt = performance.now();
  while (isSending) {
    samples.push(await takeSample(sampled, secondsSince(startedAt), samples.length));
    await Promise.race([ended, sleep(everyMs)]);
  }
  return samples;
}

interface Soaked {
  users: number;
  fullSpeed: number;
  minutes: number;
  report: LoadReport;
  samples: Sample[];
}

function resultOf({ users, fullSpeed, minutes, report, samples }: Soaked): BenchResult {
  const acknowledgeMs = report.timeline.map(({ second, p99Ms }) => [second, p99Ms] as const);
  const slopes = judgeSlopes({ samples, acknowledgeMs });
  return {
    about: `${report.entries.toLocaleString("en")} entries about ${users.toLocaleString("en")} users in ${minutes} minutes, ${(report.entries / report.seconds).toFixed(0)}/s: ${100 * SHARE} % of the full speed of ${fullSpeed.toFixed(0)}/s. Acknowledged in p50 ${report.p50Ms.toFixed(0)} ms, p99 ${report.p99Ms.toFixed(0)} ms; ${report.refused} refused. ${columnsAppeared(samples)} The first ${warmUpSeconds(samples).toFixed(0)} s are the warm-up; the slopes are about the rest. All samples are in soak-samples.csv`,
    tables: [slopeTable(slopes), tableSizes(samples)],
    charts: chartsOf(samples, report),
    files: [{ name: "soak-samples.csv", text: samplesCsv(samples) }],
    failures: slopes.filter(({ isFlat }) => !isFlat).map(describe),
  };
}

/** When the properties that are asked about had their columns. */
function columnsAppeared(samples: readonly Sample[]): string {
  const most = Math.max(0, ...samples.map(({ columns }) => columns));
  if (most === 0) return "No property of events got columns.";
  const at = samples.find(({ columns }) => columns === most);
  return `Properties of events with columns: ${most}, after ${at?.second.toFixed(0)} s.`;
}

function slopeTable(slopes: readonly Slope[]): ResultTable {
  return {
    headings: ["figure", "unit", "median", "slope an hour", "allowed an hour", ""],
    rows: slopes.map(({ figure, unit, median, perHour, allowedPerHour, isFlat }) => [
      figure,
      unit,
      median,
      perHour,
      // A single sample has no slope, and JSON has no number for that.
      Number.isFinite(allowedPerHour) ? allowedPerHour : "any",
      isFlat ? "flat" : "GROWS",
    ]),
  };
}

/** The largest tables at the end, and what a record has added to those that grow with records. */
function tableSizes(samples: readonly Sample[]): ResultTable {
  const start = warmUpSeconds(samples);
  const first = samples.find(({ second }) => second >= start);
  const last = samples.at(-1);
  const records = Math.max(1, (last?.records ?? 0) - (first?.records ?? 0));
  const largest = Object.entries(last?.tables ?? {}).sort(([, one], [, other]) => other.mb - one.mb);
  return {
    headings: ["largest tables at the end", "MB", "of rows dead", "bytes a record adds"],
    rows: largest.slice(0, LARGEST_TABLES).map(([table, { mb, live, dead }]) => {
      const added = ((mb - (first?.tables[table]?.mb ?? 0)) * 1024 * 1024) / records;
      return [
        table,
        mb,
        `${((100 * dead) / Math.max(1, live + dead)).toFixed(1)} %`,
        LEVEL_TABLES.includes(table) ? "must be level" : added.toFixed(0),
      ];
    }),
  };
}

function describe({ figure, unit, perHour, allowedPerHour }: Slope): string {
  return `Not flat: ${figure} grows by ${perHour.toFixed(1)} ${unit} an hour; at most ${allowedPerHour.toFixed(1)} is level.`;
}

function chartsOf(samples: readonly Sample[], { timeline }: LoadReport): Chart[] {
  const seconds = { label: "seconds" };
  const line = (name: string, read: (sample: Sample) => number) => ({
    name,
    points: samples.map((sample): [number, number] => [sample.second, read(sample)]),
  });
  return [
    {
      name: "soak-memory",
      title: "Memory in the soak",
      x: seconds,
      y: { label: "MB" },
      lines: [
        line("server", ({ memoryMb }) => memoryMb.server),
        line("JavaScript heap", ({ heapMb }) => heapMb),
        line("PostgreSQL's backends", ({ memoryMb }) => memoryMb.backend),
        line("PostgreSQL's other processes", ({ memoryMb }) => memoryMb.checkpointer + memoryMb.background),
      ],
    },
    {
      name: "soak-lag",
      title: "How long the oldest record waits at each stage, in the soak",
      x: seconds,
      y: { label: "ms" },
      lines: Object.keys(samples[0]?.lagMs ?? {}).map((stage) => line(stage, ({ lagMs }) => lagMs[stage] ?? 0)),
    },
    {
      name: "soak-latency",
      title: "Time to acknowledge a batch, in the soak",
      x: seconds,
      y: { label: "ms" },
      lines: (["p50Ms", "p95Ms", "p99Ms"] as const).map((share) => ({
        name: share.slice(0, 3),
        points: timeline.map((moment) => [moment.second, moment[share]]),
      })),
    },
    {
      name: "soak-questions",
      title: "Time of a question about a property of all events, in the soak",
      x: seconds,
      y: { label: "ms" },
      lines: [line("answer", ({ questionMs }) => questionMs)],
    },
    {
      name: "soak-files",
      title: "Files and tables in the soak: they hold more events with every record",
      x: seconds,
      y: { label: "MB" },
      lines: [
        line("question engine", ({ engineMb }) => engineMb),
        line("its write-ahead log", ({ engineLogMb }) => engineLogMb),
        line("PostgreSQL's tables", (sample) => sizeOfTables(sample)),
      ],
    },
  ];
}
