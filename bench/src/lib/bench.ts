export interface BenchOptions {
  /** Multiplies the amount of work; 1 takes about a minute on a laptop. */
  scale: number;
}

/** What a benchmark's module exports. */
export interface Bench {
  run(options: BenchOptions): Promise<void>;
}
