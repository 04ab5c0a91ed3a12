import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import type { Api } from "../lib/api.js";
import { kindOfProcess, type PostgresKind } from "../lib/process-kind.js";
import { readMemory, readTitle, treeOf } from "../lib/process-tree.js";
import { type MetricSample, readMetrics, sumOf } from "../lib/read-metrics.js";

/** What is measured at one moment of a soak. */
export interface Sample {
  second: number;
  /** Entries that were applied since the server has started. */
  records: number;
  /** Memory by kind of process, with shared pages divided among those that share them. */
  memoryMb: Record<"server" | PostgresKind, number>;
  /** Memory that JavaScript objects use, and buffers outside of them, as the server reports it. */
  heapMb: number;
  externalMb: number;
  /** Files, sockets and pipes that the server has open. */
  handles: number;
  /** How long the oldest record waits at each stage. */
  lagMs: Record<string, number>;
  /** The question engine's file and its write-ahead log. */
  engineMb: number;
  engineLogMb: number;
  /** How long the answer to a question about a property of events took. */
  questionMs: number;
  /** Properties of events that have complete columns in the question engine, because they were asked about. */
  columns: number;
  /** PostgreSQL's tables, partitions counted as one table. */
  tables: Record<string, TableSize>;
}

export interface TableSize {
  /** With indexes. */
  mb: number;
  live: number;
  /** Rows that are dead and not removed yet. */
  dead: number;
}

export interface Sampled {
  pid: number;
  url: string;
  dataDir: string;
  api: Api;
  client: pg.Client;
}

const MB = 1024 * 1024;

/** Questions about properties that the load's events have. They are asked in turn, one with each sample. */
const QUESTIONS = [
  { range: { "properties.amount": { gt: 900 } } },
  { term: { "properties.path": "/p/7" } },
  { term: { "properties.label": "value 11" } },
];

/** Takes the sample with this index. */
export async function takeSample(
  { pid, url, dataDir, api, client }: Sampled,
  second: number,
  index: number,
): Promise<Sample> {
  const [tables, lagMs, metrics, questionMs] = await Promise.all([
    readTables(client),
    readLag(api),
    readMetrics({ url }),
    timeQuestion(api, QUESTIONS[index % QUESTIONS.length]!),
  ]);
  const folder = join(dataDir, "questions");
  return {
    second,
    memoryMb: readMemories(pid),
    ...readRuntime(metrics),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    lagMs,
    engineMb: sizeOf(folder, (name) => !name.endsWith(".wal")) / MB,
    engineLogMb: sizeOf(folder, (name) => name.endsWith(".wal")) / MB,
    questionMs,
    columns: sumOf(metrics, "muster_question_event_columns", ({ state }) => state === "complete") ?? 0,
    tables,
  };
}

async function timeQuestion(api: Api, query: object): Promise<number> {
  const startedAt = performance.now();
  await (await api("POST", "/search/events", { query, per_page: 1 })).arrayBuffer();
  return performance.now() - startedAt;
}

function readRuntime(metrics: readonly MetricSample[]): Pick<Sample, "records" | "heapMb" | "externalMb"> {
  const isApplied = ({ outcome }: Record<string, string>) => outcome === "applied";
  return {
    records: sumOf(metrics, "muster_ingest_entries_total", isApplied) ?? 0,
    heapMb: (sumOf(metrics, "nodejs_heap_size_used_bytes") ?? 0) / MB,
    externalMb: (sumOf(metrics, "nodejs_external_memory_bytes") ?? 0) / MB,
  };
}

function readMemories(pid: number): Sample["memoryMb"] {
  const memoryMb = { server: 0, backend: 0, checkpointer: 0, background: 0 };
  for (const member of treeOf(pid)) {
    const kind = member === pid ? "server" : kindOfProcess(readTitle(member));
    memoryMb[kind] += readMemory(member).pssBytes / MB;
  }
  return memoryMb;
}

async function readLag(api: Api): Promise<Record<string, number>> {
  const answer = await api("GET", "/overview");
  const { lag } = (await answer.json()) as { lag: { stages: { stage: string; behind_ms: number }[] } };
  return Object.fromEntries(lag.stages.map(({ stage, behind_ms }) => [stage, behind_ms]));
}

async function readTables(client: pg.Client): Promise<Record<string, TableSize>> {
  const { rows } = await client.query<{ name: string; bytes: string; live: string; dead: string }>(
    `select relname as name, pg_total_relation_size(relid) as bytes, n_live_tup as live, n_dead_tup as dead
     from pg_stat_user_tables`,
  );
  const tables: Record<string, TableSize> = {};
  for (const { name, bytes, live, dead } of rows) {
    // The names of partitions end in digits.
    const table = name.replace(/_[\d_]+$/, "");
    const known = tables[table] ?? { mb: 0, live: 0, dead: 0 };
    tables[table] = {
      mb: known.mb + Number(bytes) / MB,
      live: known.live + Number(live),
      dead: known.dead + Number(dead),
    };
  }
  return tables;
}

/** The size of some files of a folder. Zero when the files are on another machine. */
function sizeOf(folder: string, isCounted: (name: string) => boolean): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(isCounted)
    .reduce((total, name) => total + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
