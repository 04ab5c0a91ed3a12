import { DAY_MS } from "@muster/protocol";
import type { Outcome } from "./outcome.js";

/** The parts of an error that tell what to do. Those of the package and of Node have different ones. */
interface AnyError {
  name?: string;
  message?: string;
  code?: unknown;
  status?: unknown;
  problem?: unknown;
  response?: { status?: number; headers?: { get?(name: string): string | null } };
  cause?: unknown;
  $metadata?: { httpStatusCode?: number };
}

const SETTINGS_CODES = new Set(["INVALID_AUTHENTICATION", "OAUTH_REFRESH_FAILED", "REFRESH_TOKEN_EXPIRED"]);
/** A connection that failed. Another attempt may succeed. */
const CONNECTION_CODES =
  /^(E(CONN|TIMEDOUT|NOTFOUND|AI_AGAIN|PIPE|HOST|NET)|UND_ERR|REQUESTTIMEOUTERROR|REQUESTCLIENTERROR|SELF_TIMEOUT|RETRYABLE_ERROR)/;
const REFUSED_ADDRESS = "refused_address";
const DEFAULT_WAIT_MS = 60_000;
/** A service may say anything. What waits is not given up within a day. */
const MAX_WAIT_MS = DAY_MS;

/** Sorts an error of a destination: by its class as far as it tells, else by the status of the service's answer. */
export function outcomeOfError(given: unknown, now: number): Outcome {
  const error = (typeof given === "object" && given !== null ? given : { message: String(given) }) as AnyError;
  const status = statusOf(error);
  const shared = { reason: error.message || error.name || "The destination failed.", ...(status ? { status } : {}) };
  if (isRefusedAddress(error)) return { kind: "settings", ...shared };
  const code = String(error.code ?? "");
  if (SETTINGS_CODES.has(code)) return { kind: "settings", ...shared };
  if (status === 429) return { kind: "limited", ...shared, clearsAt: now + waitOf(error, now) };
  return { kind: CONNECTION_CODES.test(code) ? "retry" : kindOfStatus(status, given), ...shared };
}

/** What a status alone means, for answers of batches too. */
export function kindOfStatus(status: number | undefined, error?: unknown): Outcome["kind"] {
  if (status === undefined) return isBug(error) ? "refused" : "retry";
  if (status < 400) return "accepted";
  if (status === 401 || status === 403) return "settings";
  if (status === 429) return "limited";
  if (status === 408 || status === 425) return "retry";
  // 501 is what the package says of an action that does not exist.
  return status >= 500 && status !== 501 ? "retry" : "refused";
}

/** An error of the language comes from the code of the destination, which would fail again with the same message. */
function isBug(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    error instanceof ReferenceError
  );
}

function statusOf({ status, response, $metadata }: AnyError): number | undefined {
  const found = response?.status ?? status ?? $metadata?.httpStatusCode;
  // An error with the status of a success is about an answer that could not be read.
  return typeof found === "number" && found >= 400 && found < 600 ? found : undefined;
}

/** The guard of connections refuses an address of a private network. Libraries wrap its error. */
function isRefusedAddress({ problem, message, cause }: AnyError): boolean {
  if (problem === REFUSED_ADDRESS || message?.includes("ALLOW_PRIVATE_NETWORK")) return true;
  return typeof cause === "object" && cause !== null && isRefusedAddress(cause as AnyError);
}

/** `Retry-After` is a number of seconds or a date. */
function waitOf({ response }: AnyError, now: number): number {
  const text = response?.headers?.get?.("retry-after") ?? "";
  const seconds = Number(text);
  const isNumber = text !== "" && Number.isFinite(seconds);
  const waitMs = isNumber ? seconds * 1_000 : Date.parse(text) - now;
  return Number.isNaN(waitMs) ? DEFAULT_WAIT_MS : Math.min(MAX_WAIT_MS, Math.max(0, waitMs));
}
