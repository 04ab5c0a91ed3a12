import type { BenchResult } from "./bench-result.js";

export interface BenchOptions {
  /** Multiplies the amount of work; 1 takes a few minutes at most. */
  scale: number;
  /** How long to run, for benchmarks of long runs. */
  seconds: number | undefined;
  /** How long to run, for the benchmarks that take minutes: faults, and the soak. */
  minutes: number | undefined;
  /** Decides what is random, so that a run can be repeated. */
  seed: number | undefined;
  /** Measures only what has this text in its name, for benchmarks of many parts. */
  only: string | undefined;
  /** The largest number of users, for benchmarks about growth. */
  users?: number | undefined;
}

/** The exports of a benchmark's module. */
export interface Bench {
  /** Returns what was measured, unless it has printed that itself. */
  run(options: BenchOptions): Promise<BenchResult> | Promise<void>;
}
