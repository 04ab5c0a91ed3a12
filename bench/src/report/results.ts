import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { BenchResult } from "../lib/bench-result.js";
import type { Machine } from "./machine.js";

/** A run that was made: when, on what, at which scale, and what it measured. */
export interface MeasuredRun {
  date: string;
  machine: Machine;
  scale: number;
  minutes?: number;
  /** The share of the processors' time that the host of a virtual machine gave to others. */
  stolenPercent?: number;
  result: BenchResult;
}

/** The latest run of each key of the plan. Runs that are not made again keep what they had. */
export type Results = Record<string, MeasuredRun>;

export async function readResults(file: string): Promise<Results> {
  // The file is written below, so it has this shape.
  return existsSync(file) ? (JSON.parse(await readFile(file, "utf8")) as Results) : {};
}

export async function writeResults(file: string, results: Results): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, shorten, 1)}\n`);
}

/** Three digits after the point are enough, and the file stays readable. */
function shorten(_: string, value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 1_000) / 1_000 : value;
}
