import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import type { Api } from "../lib/api.js";
import { readTreeUsage } from "../lib/process-tree.js";

/** What is measured at one moment of a soak. */
export interface Sample {
  second: number;
  /** Memory by process, with shared pages divided among those that share them. PostgreSQL's processes count as one. */
  memoryMb: { server: number; postgres: number };
  /** How long the oldest record waits at each stage. */
  lagMs: Record<string, number>;
  /** Files of the question engine. */
  engineMb: number;
  /** Sizes of PostgreSQL's tables, with their indexes. */
  tablesMb: Record<string, number>;
  /** The share of rows in PostgreSQL that are dead and not removed yet. */
  deadPercent: number;
}

export interface Sampled {
  pid: number;
  dataDir: string;
  api: Api;
  client: pg.Client;
}

const MB = 1024 * 1024;

export async function takeSample({ pid, dataDir, api, client }: Sampled, second: number): Promise<Sample> {
  const [tables, lagMs] = await Promise.all([readTables(client), readLag(api)]);
  return {
    second,
    memoryMb: readMemory(pid),
    lagMs,
    engineMb: sizeOf(join(dataDir, "questions")) / MB,
    ...tables,
  };
}

function readMemory(pid: number): Sample["memoryMb"] {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const server = (Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1_024) / MB;
  return { server, postgres: readTreeUsage(pid).pssBytes / MB - server };
}

async function readLag(api: Api): Promise<Record<string, number>> {
  const answer = await api("GET", "/overview");
  const { lag } = (await answer.json()) as { lag: { stages: { stage: string; behind_ms: number }[] } };
  return Object.fromEntries(lag.stages.map(({ stage, behind_ms }) => [stage, behind_ms]));
}

async function readTables(client: pg.Client): Promise<Pick<Sample, "tablesMb" | "deadPercent">> {
  const { rows } = await client.query<{ name: string; bytes: string; live: string; dead: string }>(
    `select relname as name, pg_total_relation_size(relid) as bytes, n_live_tup as live, n_dead_tup as dead
     from pg_stat_user_tables`,
  );
  const sum = (column: "live" | "dead") => rows.reduce((total, row) => total + Number(row[column]), 0);
  // Partitions of a table count as the table. Their names end in digits.
  const tablesMb: Record<string, number> = {};
  for (const { name, bytes } of rows) {
    const table = name.replace(/_[\d_]+$/, "");
    tablesMb[table] = (tablesMb[table] ?? 0) + Number(bytes) / MB;
  }
  return { tablesMb, deadPercent: (100 * sum("dead")) / Math.max(1, sum("live") + sum("dead")) };
}

/** The size of all files in a folder. Zero when the files are on another machine. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce(
    (total, name) => total + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
