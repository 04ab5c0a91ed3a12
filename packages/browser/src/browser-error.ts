/** Why a call failed. All errors of the library have a code that a page can act on. */
export type BrowserErrorCode =
  | "not_ready"
  | "invalid_argument"
  | "opted_out"
  | "no_consent"
  | "refused"
  | "unreachable"
  | "unauthorized";

export class BrowserError extends Error {
  override readonly name = "BrowserError";
  readonly code: BrowserErrorCode;

  constructor(code: BrowserErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** An error of the library as it is; any other is one of code of the page that the library has called. */
export function asBrowserError(error: unknown): BrowserError {
  if (error instanceof BrowserError) return error;
  return new BrowserError("invalid_argument", error instanceof Error ? error.message : String(error));
}
