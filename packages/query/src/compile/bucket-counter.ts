import { LIMITS } from "../limits.js";
import { QueryError } from "../query-error.js";

/**
 * Counts the buckets of one answer: those that the engine has found, and those that fill gaps. A few lists of gaps inside
 * each bucket of a list would not fit into memory.
 */
export class BucketCounter {
  #count = 0;

  /** Throws a `QueryError` when the answer has too many buckets with these. */
  add(count: number, path: string): void {
    this.#count += count;
    if (this.#count <= LIMITS.answerBuckets) return;
    throw new QueryError(
      path,
      `expected at most ${LIMITS.answerBuckets} buckets in the whole answer, with the empty ones and the metrics of each; ask for fewer values, longer intervals or fewer aggregations`,
    );
  }
}
