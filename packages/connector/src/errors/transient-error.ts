/** What is known about a failure besides its message. */
export interface ErrorExtra extends Record<string, unknown> {
  cause?: unknown;
}

/**
 * A failure that is expected to pass: a connection that failed, or a third party that is unavailable. The caller is told
 * to try again.
 *
 * @example
 * throw new TransientError("The CRM is under maintenance.", { cause: error });
 */
export class TransientError extends Error {
  override readonly name: string = "TransientError";
  readonly code: string = "ERR_TRANSIENT";
  /** The HTTP status of the answer. */
  readonly status = 503;
  readonly extra: ErrorExtra;

  constructor(message: string, extra: ErrorExtra = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.extra = extra;
  }
}
