import { isDeepStrictEqual } from "node:util";
import type { Job } from "../../domain/jobs/job.js";

/**
 * How far a run of a job has got, compared with the run before. A run that saves what was saved before has got no further:
 * it may fail at the same place as the run before, and its attempts must count.
 */
export class Distance {
  readonly #checkpoint: unknown;
  #processed: number;

  constructor({ checkpoint, progress }: Job) {
    this.#checkpoint = checkpoint;
    this.#processed = progress.processed;
  }

  /** Whether a run has got further than the runs before. */
  isFurther(processed: number, checkpoint: unknown): boolean {
    if (processed > this.#processed) {
      this.#processed = processed;
      return true;
    }
    // A job that begins again from the start has processed less than before, and saves other checkpoints again.
    return processed === this.#processed && !isDeepStrictEqual(asStored(checkpoint), this.#checkpoint);
  }
}

function asStored(checkpoint: unknown): unknown {
  return JSON.parse(JSON.stringify(checkpoint)) as unknown;
}
