import { type ErrorExtra, TransientError } from "./transient-error.js";

/**
 * A third party limits the number of calls. Give `clearsAt` if you know it: the next call does not come earlier.
 *
 * @example
 * throw new RateLimitError("Out of API calls.", { clearsAt: new Date(Date.now() + 60_000) });
 */
export class RateLimitError extends TransientError {
  override readonly name = "RateLimitError";
  override readonly code = "ERR_RATE_LIMIT";
  readonly clearsAt: Date | undefined;

  constructor(message: string, extra: ErrorExtra & { clearsAt?: Date } = {}) {
    super(message, extra);
    this.clearsAt = extra.clearsAt;
  }
}
