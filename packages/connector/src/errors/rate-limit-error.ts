import { type ErrorExtra, TransientError } from "./transient-error.js";

/**
 * A third party asks for fewer calls. Tell when the limit clears if you know, and the next call comes no earlier.
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
