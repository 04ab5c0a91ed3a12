const CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ENOENT",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** Whether an error of Node says that there is no connection to an engine. */
export function isConnectionError(error: Error): boolean {
  return CODES.has((error as NodeJS.ErrnoException).code ?? "");
}
