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

/** Returns an error of the library unchanged. Any other error comes from a callback or an argument of the page. */
export function asBrowserError(error: unknown): BrowserError {
  if (error instanceof BrowserError) return error;
  return new BrowserError("invalid_argument", error instanceof Error ? error.message : String(error));
}
