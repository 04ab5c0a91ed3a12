/** What is known about a failure beside its message. */
export interface ErrorExtra extends Record<string, unknown> {
  cause?: unknown;
}

/**
 * Something that is expected to work again: connectivity issues, or a third party that is unavailable for now. Whoever
 * made the call is told to try again.
 *
 * @example
 * throw new TransientError("The CRM is under maintenance.", { cause: error });
 */
export class TransientError extends Error {
  override readonly name: string = "TransientError";
  readonly code: string = "ERR_TRANSIENT";
  /** The status that the caller is answered with. */
  readonly status = 503;
  readonly extra: ErrorExtra;

  constructor(message: string, extra: ErrorExtra = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.extra = extra;
  }
}
