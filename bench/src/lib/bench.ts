export interface BenchOptions {
  /** Multiplies the amount of work; 1 takes a few minutes at most. */
  scale: number;
}

/** What a benchmark's module exports. */
export interface Bench {
  run(options: BenchOptions): Promise<void>;
}
