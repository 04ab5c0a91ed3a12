import type { RefusalBody, RefusalDetail } from "@muster/protocol";

/** An answer of the server that is not a success. The message is the server's own sentence. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly RefusalDetail[];

  constructor(status: number, body: unknown) {
    // A proxy in between answers with something else.
    const { error, message } = (typeof body === "object" && body !== null ? body : {}) as {
      error?: Partial<RefusalBody["error"]>;
      message?: string;
    };
    super(error?.message ?? message ?? `The server answered with status ${status}.`);
    this.name = "ApiError";
    this.status = status;
    this.code = error?.code ?? "unknown";
    this.details = error?.details ?? [];
  }
}

/** A sentence for people about anything that was thrown. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError) return "The server could not be reached. Check the connection and try again.";
  return error instanceof Error ? error.message : String(error);
}
