import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult, ResultTable } from "./lib/bench-result.js";
import { goalMark } from "./lib/goal-mark.js";
import { readTreeUsage, type TreeUsage } from "./lib/process-tree.js";
import { type RunningServer, startServer, withDataDir } from "./lib/start-server.js";

const GOALS = {
  firstStartMs: 10_000,
  firstBuildMs: 12_000,
  secondStartMs: 2_000,
  npmStartMs: 3_000,
  idlePercent: 1,
  memoryBytes: 350 * 1024 * 1024,
};

// PostgreSQL works for a while after its start. The idle time begins after that.
const SETTLE_MS = 15_000;
const IDLE_MS = 30_000;
const MB = 1024 * 1024;

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Measures the build of `npm start` from nothing, a first and a second start until `/readyz` answers 200, a start with npm,
 * which looks for changes, and what the server uses while it is idle.
 */
export async function run({ scale }: BenchOptions): Promise<BenchResult> {
  const buildMs = await timeBuild();
  return withDataDir(async (dataDir) => {
    const first = await timeStart(dataDir);
    await first.server.stop();
    const second = await timeStart(dataDir);
    const idle = await watchIdle(second.server, scale);
    await second.server.stop();
    const withNpm = await timeStart(dataDir, ["npm", "start"]);
    await withNpm.server.stop();
    return { tables: [report({ buildMs, firstMs: first.ms, secondMs: second.ms, npmMs: withNpm.ms, idle })] };
  });
}

/**
 * Builds what `npm start` waits for. What it builds beside the server, the packages, goes on during the first start, as it
 * does for people.
 */
async function timeBuild(): Promise<number> {
  for (const name of ["modules", "server", "command", "browser"])
    rmSync(`${REPOSITORY}.cache/builds/${name}`, { force: true });
  const startedAt = performance.now();
  const [code] = await once(
    spawn(process.execPath, ["scripts/start.js"], { cwd: REPOSITORY, stdio: "ignore" }),
    "exit",
  );
  if (code !== 0) throw new Error("The build has failed.");
  return performance.now() - startedAt;
}

async function timeStart(
  dataDir: string,
  command?: [string, ...string[]],
): Promise<{ server: RunningServer; ms: number }> {
  const startedAt = performance.now();
  const server = await startServer({ dataDir, ...(command && { command }) });
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

interface Times {
  buildMs: number;
  firstMs: number;
  secondMs: number;
  npmMs: number;
  idle: Idle;
}

function report({ buildMs, firstMs, secondMs, npmMs, idle: { cpuPercent, usage } }: Times): ResultTable {
  const row = (what: string, value: number, goal: number, unit: string, digits = 0) => [
    what,
    `${value.toFixed(digits)} ${unit}`,
    `≤ ${goal} ${unit}`,
    goalMark(value <= goal),
  ];
  const none = (what: string, value: string) => [what, value, "", ""];
  return {
    headings: ["startup", "measured", "goal", ""],
    rows: [
      none("build from nothing", `${(buildMs / 1_000).toFixed(2)} s`),
      row("first start until ready", firstMs / 1_000, GOALS.firstStartMs / 1_000, "s", 2),
      row("build and first start together", (buildMs + firstMs) / 1_000, GOALS.firstBuildMs / 1_000, "s", 2),
      row("second start until ready", secondMs / 1_000, GOALS.secondStartMs / 1_000, "s", 2),
      row("the same with npm, which looks for changes", npmMs / 1_000, GOALS.npmStartMs / 1_000, "s", 2),
      row("idle, of one processor", cpuPercent, GOALS.idlePercent, "%", 2),
      row(
        "memory of all processes, shared pages counted once (PSS)",
        usage.pssBytes / MB,
        GOALS.memoryBytes / MB,
        "MB",
      ),
      none("memory with shared pages counted in each process (RSS)", `${(usage.rssBytes / MB).toFixed(0)} MB`),
      none("processes", String(usage.processes)),
    ],
  };
}
