import { fillDataDir } from "../dataset/fill-data-dir.js";
import type { ResultTable } from "../lib/bench-result.js";
import { startChild } from "../lib/child.js";
import { goalMark } from "../lib/goal-mark.js";
import type { Cell } from "../lib/render-table.js";
import { withDataDir } from "../lib/start-server.js";
import type { EngineOrder, EngineReport } from "./engine.js";

const TABLES = [100_000, 1_000_000];
const SIZES = [1_000, 2_000];
const SECONDS = 10;
const SEGMENTS = 100;
const GOAL_US = 60;

/**
 * Measures the processor time of the question engine alone for each record, for several sizes of tables and micro-batches.
 * Each record replaces a user and appends an event, which is more than most records of the load do.
 */
export async function measureEngine(scale: number): Promise<ResultTable> {
  const rows: Cell[][] = [];
  for (const table of TABLES) rows.push(...(await measureTable(Math.round(table * scale), scale)));
  return {
    headings: [
      "question engine alone: users",
      "micro-batch",
      "records/s",
      "CPU µs per record: written",
      "evaluated",
      "together",
      `goal ≤ ${GOAL_US}`,
    ],
    rows,
  };
}

function measureTable(users: number, scale: number): Promise<Cell[][]> {
  return withDataDir(async (dataDir) => {
    const now = Math.floor(Date.now() / 1_000);
    const { org, sequence } = await fillDataDir(dataDir, { users, now, hasEvents: true, hasProfiles: false });
    const rows: Cell[][] = [];
    let last = sequence;
    for (const size of SIZES) {
      const seconds = Math.max(3, SECONDS * scale);
      const report = await runEngine({ dataDir, org, users, sequence: last, size, seconds, segments: SEGMENTS });
      last = report.sequence;
      rows.push(rowOf(users, size, report));
    }
    return rows;
  });
}

async function runEngine(order: EngineOrder): Promise<EngineReport> {
  const child = startChild(new URL("./engine.js", import.meta.url), []);
  child.send(order);
  const report = await child.next<EngineReport>();
  await child.stop();
  return report;
}

function rowOf(users: number, size: number, { writeCpu, evaluateCpu, ...report }: EngineReport): Cell[] {
  const together = writeCpu + evaluateCpu;
  return [users, size, report.users / report.seconds, writeCpu, evaluateCpu, together, goalMark(together <= GOAL_US)];
}
