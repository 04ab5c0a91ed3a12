import { Cluster } from "./cluster/cluster.js";
import { clickHouseProblem } from "./cluster/open-clickhouse.js";
import { readServerAbilities, type ServerAbilities } from "./cluster/server-abilities.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult } from "./lib/bench-result.js";
import { hasProgram } from "./lib/has-program.js";
import type { ProcessPlan } from "./lib/muster-process.js";
import type { Cell } from "./lib/render-table.js";
import { readCpuByKind } from "./scale/cpu-by-kind.js";
import { createOrganizations } from "./scale/create-organizations.js";
import { OrganizationSender, type SentEverywhere, sendEverywhere } from "./scale/send-everywhere.js";
import { type LockWaits, watchLocks } from "./scale/watch-locks.js";

const ORGANIZATIONS = 8;
const WORKERS = [1, 2, 4];
const USERS = 5_000;
const BATCH_SIZE = 250;
const SECONDS = 20;
const WARM_UP_SECONDS = 5;

interface Run {
  workers: number;
  log: "PostgreSQL" | "JetStream";
}

interface Measured extends Run, SentEverywhere {
  cpuUs: Map<string, number>;
  waits: LockWaits;
}

/**
 * Sends records of eight organizations to one gateway while 1, 2 and 4 workers apply them, over one PostgreSQL and one
 * ClickHouse. On a small machine the processor time of a record says more than the speed.
 */
export async function run({ scale, seconds = SECONDS, only = "" }: BenchOptions): Promise<BenchResult> {
  const problem = clickHouseProblem();
  if (problem !== undefined) return { about: `Several workers cannot be measured here: ${problem}.`, tables: [] };
  const abilities = await readServerAbilities();
  const runs: Run[] = WORKERS.map((workers) => ({ workers, log: "PostgreSQL" }));
  const natsProblem = natsProblemOf(abilities);
  if (natsProblem === undefined) runs.push(...WORKERS.map((workers): Run => ({ workers, log: "JetStream" })));
  else console.log(`The ingestion log in JetStream is not measured: ${natsProblem}.`);
  const users = Math.max(100, Math.round(USERS * scale));
  const measured: Measured[] = [];
  const chosen = runs.filter(({ workers, log }) => `${log} ${workers}`.includes(only));
  for (const one of chosen) {
    const result = await measure(one, abilities, users, seconds);
    measured.push(result);
    const speed = Math.round(result.searchablePerSecond).toLocaleString("en");
    console.log(`${one.log}, ${one.workers} workers: ${speed} records/s searchable`);
  }
  return resultOf(measured, users);
}

function natsProblemOf({ settings }: ServerAbilities): string | undefined {
  if (!settings.includes("NATS_URL")) return "the server has no setting NATS_URL";
  return hasProgram("nats-server") ? undefined : "nats-server is not installed";
}

async function measure(one: Run, { roles }: ServerAbilities, users: number, seconds: number): Promise<Measured> {
  const worker = { kind: "worker", roles: roles.filter((role) => !["api", "gateway", "dashboard"].includes(role)) };
  const processes: ProcessPlan[] = [
    { kind: "api", roles: ["api"] },
    { kind: "gateway", roles: ["gateway"] },
    ...Array.from({ length: one.workers }, () => worker),
  ];
  const cluster = await Cluster.open({ processes, hasNats: one.log === "JetStream" });
  try {
    const organizations = await createOrganizations(cluster.apiUrl, ORGANIZATIONS);
    const senders = organizations.map((organization) => new OrganizationSender(organization, users));
    await sendEverywhere(cluster, senders, { users, batchSize: BATCH_SIZE, seconds: WARM_UP_SECONDS });
    const before = readCpuByKind(cluster);
    const endWatch = await watchLocks(cluster.postgres?.url ?? "");
    const sent = await sendEverywhere(cluster, senders, { users, batchSize: BATCH_SIZE, seconds });
    const waits = await endWatch();
    const after = readCpuByKind(cluster);
    const cpuUs = new Map(
      [...after].map(([kind, ms]) => [kind, (1_000 * (ms - (before.get(kind) ?? 0))) / sent.entries]),
    );
    return { ...one, ...sent, cpuUs, waits };
  } finally {
    await cluster.close();
  }
}

function resultOf(measured: readonly Measured[], users: number): BenchResult {
  const kinds = [...new Set(measured.flatMap(({ cpuUs }) => [...cpuUs.keys()]))];
  const head = ({ log, workers }: Run): Cell[] => [log, workers];
  const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
  return {
    about: `${ORGANIZATIONS} organizations of ${users} users each, one gateway, batches of ${BATCH_SIZE}. Processor time in µs for each record, by kind of process.`,
    tables: [
      {
        headings: ["log", "workers", "accepted/s", "searchable/s", "µs, all", ...kinds.map((kind) => `µs, ${kind}`)],
        rows: measured.map((one) => [
          ...head(one),
          one.acceptedPerSecond,
          one.searchablePerSecond,
          sum(one.cpuUs.values()),
          ...kinds.map((kind) => one.cpuUs.get(kind) ?? 0),
        ]),
      },
      {
        headings: ["log", "workers", "wait for a lock", "wait inside PostgreSQL", "deadlocks", "rollbacks"],
        rows: measured.map((one) => [
          ...head(one),
          one.waits.locks,
          one.waits.internal,
          one.waits.deadlocks,
          one.waits.rollbacks,
        ]),
      },
    ],
  };
}
