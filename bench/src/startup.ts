import { setTimeout as sleep } from "node:timers/promises";
import type { BenchOptions } from "./lib/bench.js";
import { readTreeUsage, type TreeUsage } from "./lib/process-tree.js";
import { renderTable } from "./lib/render-table.js";
import { type RunningServer, startServer, withDataDir } from "./lib/start-server.js";

const GOALS = { firstStartMs: 20_000, secondStartMs: 5_000, idlePercent: 2, memoryBytes: 800 * 1024 * 1024 };

// ClickHouse and PostgreSQL tidy up for a while after a start; what is idle comes after that.
const SETTLE_MS = 15_000;
const IDLE_MS = 30_000;
const MB = 1024 * 1024;

/** How long a first and a second start take until `/readyz` is 200, and what the server uses when nothing happens. */
export async function run({ scale }: BenchOptions): Promise<void> {
  await withDataDir(async (dataDir) => {
    const first = await timeStart(dataDir);
    await first.server.stop();
    const second = await timeStart(dataDir);
    const idle = await watchIdle(second.server, scale);
    await second.server.stop();
    console.log(report(first.ms, second.ms, idle));
  });
}

async function timeStart(dataDir: string): Promise<{ server: RunningServer; ms: number }> {
  const startedAt = performance.now();
  const server = await startServer({ dataDir });
  const answer = await fetch(`${server.url}/readyz`);
  if (!answer.ok) throw new Error(`The server says it is not ready: ${await answer.text()}`);
  return { server, ms: performance.now() - startedAt };
}

interface Idle {
  cpuPercent: number;
  usage: TreeUsage;
}

async function watchIdle({ pid }: RunningServer, scale: number): Promise<Idle> {
  await sleep(SETTLE_MS * scale);
  const before = readTreeUsage(pid);
  const startedAt = performance.now();
  await sleep(IDLE_MS * scale);
  const usage = readTreeUsage(pid);
  return { cpuPercent: (100 * (usage.cpuMs - before.cpuMs)) / (performance.now() - startedAt), usage };
}

function report(firstMs: number, secondMs: number, { cpuPercent, usage }: Idle): string {
  const row = (what: string, value: number, goal: number, unit: string, digits = 0) => [
    what,
    `${value.toFixed(digits)} ${unit}`,
    `≤ ${goal} ${unit}`,
    value <= goal ? "met" : "MISSED",
  ];
  const none = (what: string, value: string) => [what, value, "", ""];
  return renderTable(
    ["startup", "measured", "goal", ""],
    [
      row("first start until ready", firstMs / 1_000, GOALS.firstStartMs / 1_000, "s", 2),
      row("second start until ready", secondMs / 1_000, GOALS.secondStartMs / 1_000, "s", 2),
      row("idle, of one processor", cpuPercent, GOALS.idlePercent, "%", 2),
      row("resident memory, all processes", usage.rssBytes / MB, GOALS.memoryBytes / MB, "MB"),
      none("the same, shared pages once (PSS)", `${(usage.pssBytes / MB).toFixed(0)} MB`),
      none("processes", String(usage.processes)),
    ],
  );
}
