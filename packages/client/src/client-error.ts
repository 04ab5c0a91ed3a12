import { reasonOf } from "@muster/protocol";

/** What goes wrong on this side of the wire. Anything else in `code` is the server's own code, as it sent it. */
export type ClientErrorCode =
  | "invalid_configuration"
  | "invalid_claims"
  | "invalid_argument"
  | "queue_full"
  | "timeout"
  | "connection_failed"
  | "unexpected_answer";

export interface ClientErrorOptions {
  /** The HTTP status, when the server answered. */
  status?: number;
  details?: unknown[];
  cause?: unknown;
}

/**
 * The one error this library throws or rejects with. `code` is a {@link ClientErrorCode} or the server's refusal code.
 *
 * @example
 * try {
 *   await client.get("/000000000000000000000000");
 * } catch (error) {
 *   if (error instanceof ClientError && error.code === "not_found") return undefined;
 *   throw error;
 * }
 */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: string;
  readonly status: number | undefined;
  readonly details: unknown[];

  constructor(code: string, message: string, options: ClientErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status;
    this.details = options.details ?? [];
  }
}

/** Whatever was thrown while a request was made, as the one error callers know. */
export function asClientError(cause: unknown): ClientError {
  if (cause instanceof ClientError) return cause;
  return clientError("connection_failed", `The request could not be made: ${reasonOf(cause)}.`, { cause });
}

/** An error of this side, with its code checked against the closed list. */
export function clientError(code: ClientErrorCode, message: string, options?: ClientErrorOptions): ClientError {
  return new ClientError(code, message, options);
}
