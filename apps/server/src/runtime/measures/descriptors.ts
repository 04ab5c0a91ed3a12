import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";

/** The most descriptors (files and connections) that this process may open. Undefined where the system does not tell. */
export function readDescriptorLimit(): number | undefined {
  try {
    // Node raises the soft limit to the hard one when it starts.
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** How many descriptors this process has open. Undefined where the system does not tell. */
export async function countDescriptors(): Promise<number | undefined> {
  try {
    return (await readdir("/proc/self/fd")).length;
  } catch {
    return undefined;
  }
}
