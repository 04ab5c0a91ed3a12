import { readFileSync } from "node:fs";

/** Linux counts the time of finished children in ticks of 10 ms on every machine that Node runs on. */
const TICK_MS = 10;
// The fields of /proc/self/stat after the name of the program, which is in brackets and may contain spaces.
const CHILDREN_USER = 13;
const CHILDREN_SYSTEM = 14;

/**
 * The processor time of this process and of all its children that have ended, in milliseconds. Only Linux tells the time
 * of the children; elsewhere it is missing.
 */
export function processorTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenMs();
}

function childrenMs(): number {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[CHILDREN_USER]) + Number(fields[CHILDREN_SYSTEM])) * TICK_MS;
}
