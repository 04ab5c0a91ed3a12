export interface BenchOptions {
  /** Multiplies the amount of work; 1 takes a few minutes at most. */
  scale: number;
  /** How long to go on, for benchmarks that are about time. */
  seconds: number | undefined;
}

/** What a benchmark's module exports. */
export interface Bench {
  run(options: BenchOptions): Promise<void>;
}
