import type { Child } from "../lib/child.js";
import { type CpuParts, perEntry, watchCpu } from "../lib/cpu-parts.js";
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

/** A server, and the process that sends records about so many users to it. */
export interface Loaded {
  server: RunningServer;
  load: Child;
  users: number;
}

export interface Setting extends Loaded {
  /** The process that asks the API during a load. */
  probe: Child;
}

export interface LoadPlan {
  batchSize: number;
  seconds: number;
  /** Entries a second, or 0 for as many as the server accepts. */
  pace: number;
  /** Sends the records as analytics calls with this key instead. */
  writeKey?: string;
}

const CONNECTIONS = 8;
const CREATING_BATCH = 500;
const MEMORY_EVERY_MS = 1_000;
const PROBE_PACE = { readsPerSecond: 20, searchesPerSecond: 1 };

/** Sends a load, with questions to the API beside it, and waits until every entry is searchable. */
export async function measureLoad(
  setting: Setting,
  { name, ...plan }: LoadPlan & { name: string },
): Promise<MeasuredLoad> {
  const { server, probe } = setting;
  const memory = watchMemory(server.pid, MEMORY_EVERY_MS);
  const cpu = await watchCpu(server);
  probe.send({ ...credentialsOf(server), seconds: plan.seconds, ...PROBE_PACE } satisfies ProbeOrder);
  const [{ report, seconds }, probed] = await Promise.all([sendLoad(setting, plan), probe.next<ProbeReport>()]);
  const spent = await cpu.stop();
  return {
    name,
    report,
    searchablePerSecond: report.entries / seconds,
    peakMb: memory.stop() / 1e6,
    cpuUs: perEntry(spent, report.entries),
    probe: probed,
  };
}

/** Sends a load and waits until every entry is searchable. `seconds` is the time until then. */
export async function sendLoad(
  { server, load, users }: Loaded,
  plan: LoadPlan,
): Promise<{ report: LoadReport; seconds: number }> {
  const startedAt = performance.now();
  load.send({ ...credentialsOf(server), users, connections: CONNECTIONS, ...plan } satisfies LoadOrder);
  const report = await load.next<LoadReport>();
  await waitForPosition(server, report.position);
  return { report, seconds: secondsSince(startedAt) };
}

/** Sends loads until every user exists, because creating users is another kind of work than changing them. */
export async function createUsers(loaded: Loaded, seconds: number): Promise<void> {
  for (let entries = 0; entries < loaded.users; ) {
    const { report } = await sendLoad(loaded, { batchSize: CREATING_BATCH, seconds, pace: 0 });
    if (report.entries === 0) throw new Error("The server has accepted no entry.");
    entries += report.entries;
  }
}

function credentialsOf({ url, connectorId, secret }: RunningServer) {
  return { url, connectorId, secret };
}
