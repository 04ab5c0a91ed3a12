import { parseJson, reasonOf } from "@muster/protocol";
import { asClientError, type ClientError, clientError } from "../client-error.js";
import { type Connection, credentialHeaders } from "../connection.js";
import type { Logger } from "../logger.js";
import { backoffMs, retryAfterMs, wait } from "./backoff.js";
import { exchange, type HttpAnswer, type HttpRequest } from "./exchange.js";
import { readFailure } from "./read-failure.js";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Parameters of a raw call: the query string of a GET, the JSON body of the others. */
export type Params = Readonly<Record<string, unknown>>;

export interface RequestOptions {
  /**
   * Milliseconds after which an attempt is aborted and repeated. Default 10,000 for a GET, 60,000 for the others. A POST
   * that exceeds the default is not repeated, because it may have taken effect.
   */
  timeout?: number | undefined;
  /** Milliseconds to wait before the next attempt. Default: what the server asks for, or a growing random wait. */
  retry?: number | undefined;
  /** The `position` of a write. The server answers once that write is visible. */
  waitFor?: string | undefined;
}

export interface RestCall {
  path: string;
  method: Method;
  params: Params;
  options: RequestOptions;
  /** The connector's secret, or the token of the subject that the client acts for. */
  token: string;
}

const MAX_ATTEMPTS = 3;
// The longest delay of a Node timer.
const MAX_TIMER_MS = 2_147_483_647;
const READ_TIMEOUT_MS = 10_000;
const WRITE_TIMEOUT_MS = 60_000;
// The server holds a waiting call for up to 30 s before it answers.
const WAITING_TIMEOUT_MS = 40_000;

/** Calls the REST API, up to three times when it is unavailable; resolves to the body of the answer. */
export async function restCall(connection: Connection, call: RestCall, logger: Logger): Promise<unknown> {
  const request = buildRequest(connection, call);
  for (let attempt = 1; ; attempt += 1) {
    const answer = await exchange(request).catch(asClientError);
    if (!(answer instanceof Error) && answer.status >= 200 && answer.status < 300) return readBody(answer);
    const error = answer instanceof Error ? answer : readFailure(answer);
    if (attempt >= MAX_ATTEMPTS || !mayRepeat(call, error)) throw error;
    const asked = answer instanceof Error ? undefined : retryAfterMs(answer.headers, Date.now());
    const waitMs = call.options.retry ?? asked ?? backoffMs(attempt);
    const { method, path } = call;
    logger.debug("client.request.retry", { method, path, attempt, code: error.code, reason: error.message, waitMs });
    await wait(waitMs);
  }
}

function buildRequest({ configuration, brand }: Connection, call: RestCall): HttpRequest {
  const { path, method, params, options, token } = call;
  checkOptions(options);
  if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(path)) {
    // The call carries the connector's secret, which may be sent to its own organization only.
    throw clientError("invalid_argument", `Give a path below ${configuration.prefix}, not the address "${path}".`);
  }
  const { apiUrl, prefix } = configuration;
  const url = new URL(`${apiUrl}${prefix}/${path.replace(/^\/+/, "")}`);
  const headers: HttpRequest["headers"] = {
    Accept: "application/json",
    ...credentialHeaders(brand, configuration, token),
  };
  if (options.waitFor !== undefined) headers[brand.headers.waitFor] = options.waitFor;
  const timeoutMs = options.timeout ?? defaultTimeoutMs(method, options);
  if (method === "GET") {
    for (const [name, value] of Object.entries(params)) {
      if (value !== undefined) url.searchParams.append(name, queryValue(value));
    }
    return { url, method, headers, timeoutMs };
  }
  if (method === "DELETE" && Object.keys(params).length === 0) return { url, method, headers, timeoutMs };
  const body = toJson(params);
  headers["Content-Type"] = "application/json";
  headers["Content-Length"] = Buffer.byteLength(body);
  return { url, method, headers, body, timeoutMs };
}

function toJson(params: Params): string {
  try {
    return JSON.stringify(params);
  } catch (cause) {
    throw clientError("invalid_argument", `The parameters are not JSON: ${reasonOf(cause)}.`);
  }
}

/** A time-out of 0 would end every call at once; one that is not a number would never end it. */
function checkOptions({ timeout, retry }: RequestOptions): void {
  if (timeout !== undefined && !(timeout > 0 && timeout <= MAX_TIMER_MS)) {
    throw clientError("invalid_argument", "The option `timeout` must be a number of milliseconds above 0.");
  }
  if (retry !== undefined && !(retry >= 0 && retry <= MAX_TIMER_MS)) {
    throw clientError("invalid_argument", "The option `retry` must be a number of milliseconds from 0.");
  }
}

function defaultTimeoutMs(method: Method, { waitFor }: RequestOptions): number {
  if (method !== "GET") return WRITE_TIMEOUT_MS;
  return waitFor === undefined ? READ_TIMEOUT_MS : WAITING_TIMEOUT_MS;
}

/** Objects, such as `where`, are sent as JSON, which keeps numbers and booleans. Bracket notation would not. */
function queryValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

// These errors occur before the request has left this machine, so any method can be repeated.
const NEVER_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

// The server has already used all the time it allows; a repeated call would take as long.
const TOOK_TOO_LONG: ReadonlySet<string> = new Set(["wait_timeout", "question_timeout"]);

/** A POST is repeated only when the first one cannot have taken effect, or when the caller gave a time-out. */
function mayRepeat({ method, options }: RestCall, error: ClientError): boolean {
  if (error.status === 503 || error.status === 429) return true;
  const isRepeatable = method !== "POST";
  if (error.code === "timeout") return isRepeatable || options.timeout !== undefined;
  if (error.code === "connection_failed") return isRepeatable || NEVER_CONNECTED.has(causeCode(error));
  return isRepeatable && error.status !== undefined && error.status >= 500 && !TOOK_TOO_LONG.has(error.code);
}

function causeCode({ cause }: ClientError): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

/** The parsed body; undefined when there is none. */
function readBody({ status, headers, text }: HttpAnswer): unknown {
  if (text === "") return undefined;
  if (!/\bjson\b/.test(headers["content-type"] ?? "")) return text;
  const body = parseJson(text);
  if (body === undefined)
    throw clientError("unexpected_answer", "The answer is declared as JSON but cannot be parsed.", { status });
  return body;
}
