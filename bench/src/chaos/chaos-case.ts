import type { BenchOptions } from "../lib/bench.js";

/** One thing that goes wrong, or is much, while the promises must hold. */
export interface ChaosCase {
  /** `--only` chooses by it. */
  name: string;
  /** What happens in it, in one sentence. */
  description: string;
  /** Prints what happens and what was found. Returns whether all promises were kept. */
  run(options: BenchOptions): Promise<boolean>;
}
