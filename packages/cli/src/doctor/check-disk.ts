import { statfs } from "node:fs/promises";
import { nearestPresent } from "./check-data-directory.js";
import type { Finding } from "./finding.js";

const GB = 1024 ** 3;

/** PostgreSQL stops when its disk is full; its log alone may grow to 2 GB between checkpoints. */
const ENOUGH_BYTES = 5 * GB;
const LEAST_BYTES = 1 * GB;

export async function checkDisk(directory: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestPresent(directory));
  return judgeFreeSpace(bavail * bsize);
}

export function judgeFreeSpace(bytes: number): Finding {
  const free = `${(bytes / GB).toFixed(1)} GB free`;
  if (bytes < LEAST_BYTES) return { check: "disk", verdict: "problem", message: `${free}: at least 1 GB is needed` };
  if (bytes < ENOUGH_BYTES) return { check: "disk", verdict: "warning", message: `${free}: 5 GB or more is safer` };
  return { check: "disk", verdict: "ok", message: free };
}
