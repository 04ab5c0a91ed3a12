import type { Cluster } from "../cluster/cluster.js";
import { readTreeUsage } from "../lib/process-tree.js";

/** The processor time that each kind of process of a cluster has used since its start, in milliseconds. Linux only. */
export function readCpuByKind({ processes, postgres, clickhouse, nats }: Cluster): Map<string, number> {
  const spent = new Map<string, number>();
  const add = (kind: string, pid: number | undefined) => {
    if (pid) spent.set(kind, (spent.get(kind) ?? 0) + readTreeUsage(pid).cpuMs);
  };
  for (const { plan, pid } of processes) add(plan.kind, pid);
  add("PostgreSQL", postgres?.pid);
  add("ClickHouse", clickhouse?.pid);
  for (const pid of nats?.pids ?? []) add("NATS", pid);
  return spent;
}
