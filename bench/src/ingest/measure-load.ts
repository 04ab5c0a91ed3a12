import type { Child } from "../lib/child.js";
import { type CpuParts, perEntry, readCpuParts, spentBetween } from "../lib/cpu-parts.js";
import { secondsSince } from "../lib/seconds-since.js";
import type { RunningServer } from "../lib/start-server.js";
import { waitForPosition } from "../lib/wait-for-position.js";
import { watchMemory } from "../lib/watch-memory.js";
import type { LoadOrder, LoadReport } from "./load.js";
import type { ProbeOrder, ProbeReport } from "./probe.js";

/** One load and what it cost. */
export interface MeasuredLoad {
  name: string;
  report: LoadReport;
  /** Entries that became searchable in a second, counted until all of them were. */
  searchablePerSecond: number;
  peakMb: number;
  /** Processor time of the server and everything that it started, in microseconds for each entry. */
  cpuUs: CpuParts;
  probe: ProbeReport | undefined;
}

export interface Setting {
  server: RunningServer;
  load: Child;
  /** The process that asks the API during a load. */
  probe: Child;
  users: number;
}

export interface LoadPlan {
  name: string;
  batchSize: number;
  seconds: number;
  /** Entries a second, or 0 for as many as the server accepts. */
  pace: number;
}

const CONNECTIONS = 8;
const MEMORY_EVERY_MS = 1_000;
const PROBE_PACE = { readsPerSecond: 20, searchesPerSecond: 1 };

/** Sends a load, with questions to the API beside it, and waits until every entry is searchable. */
export async function measureLoad(setting: Setting, { name, ...plan }: LoadPlan): Promise<MeasuredLoad> {
  const { server, load, probe } = setting;
  const memory = watchMemory(server.pid, MEMORY_EVERY_MS);
  const before = await readCpuParts(server);
  const startedAt = performance.now();
  load.send(orderOf(setting, plan));
  probe.send({ ...credentialsOf(server), seconds: plan.seconds, ...PROBE_PACE } satisfies ProbeOrder);
  const [report, probed] = await Promise.all([load.next<LoadReport>(), probe.next<ProbeReport>()]);
  await waitForPosition(server, report.position);
  const seconds = secondsSince(startedAt);
  const spent = spentBetween(before, await readCpuParts(server));
  return {
    name,
    report,
    searchablePerSecond: report.entries / seconds,
    peakMb: memory.stop() / 1e6,
    cpuUs: perEntry(spent, report.entries),
    probe: probed,
  };
}

/** Sends a load until every user exists, because creating users is another kind of work than changing them. */
export async function warmUp(setting: Setting, seconds: number): Promise<void> {
  const { server, load, users } = setting;
  for (let entries = 0; ; ) {
    load.send(orderOf(setting, { batchSize: 500, seconds, pace: 0 }));
    const report = await load.next<LoadReport>();
    await waitForPosition(server, report.position);
    entries += report.entries;
    if (entries >= users || report.entries === 0) return;
  }
}

function orderOf({ server, users }: Setting, plan: Omit<LoadPlan, "name">): LoadOrder {
  return { ...credentialsOf(server), users, connections: CONNECTIONS, ...plan };
}

function credentialsOf({ url, connectorId, secret }: RunningServer) {
  return { url, connectorId, secret };
}
