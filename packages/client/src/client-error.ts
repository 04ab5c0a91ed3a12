import { reasonOf } from "@muster/protocol";

/** Codes of errors that this library raises itself. Any other `code` is the one that the server sent. */
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
 * The only error that this library throws or rejects with. `code` is a {@link ClientErrorCode} or the server's refusal code.
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

/** Turns anything that was thrown during a request into a `ClientError`. */
export function asClientError(cause: unknown): ClientError {
  if (cause instanceof ClientError) return cause;
  return clientError("connection_failed", `The request could not be made: ${reasonOf(cause)}.`, { cause });
}

/** An error that this library raises itself; the compiler checks its code against the closed list. */
export function clientError(code: ClientErrorCode, message: string, options?: ClientErrorOptions): ClientError {
  return new ClientError(code, message, options);
}
