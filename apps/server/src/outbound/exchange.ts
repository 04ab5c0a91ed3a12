import {
  type ClientRequest,
  type Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { type Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { pipeline, Readable } from "node:stream";
import { OutboundError } from "./outbound-error.js";

export interface OutboundRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** The longest time for the whole exchange, including the body of the answer. Default: 30 seconds. */
  timeoutMs?: number;
  /** The longest time without any data while connecting, waiting or receiving. Default: no limit but `timeoutMs`. */
  idleMs?: number;
  /** The fewest bytes that must come in each such time from the first byte on. Silence is left to `idleMs`. Default: no limit. */
  leastSpeed?: LeastSpeed;
  /** The largest body of an answer. Default: 10 MB. */
  maxBytes?: number;
  signal?: AbortSignal;
}

/** A request whose body may be passed on as it comes. It is read once, so such a request cannot follow a redirect. */
export type PassingRequest = Omit<OutboundRequest, "body"> & { body?: OutboundRequest["body"] | Readable };

export interface LeastSpeed {
  bytes: number;
  withinMs: number;
}

export interface OutboundAnswer {
  /** The address that answered, after redirects. */
  url: string;
  status: number;
  headers: IncomingHttpHeaders;
  /** Reading it fails with an `OutboundError` when it is too large, too slow or cut off. */
  body: Readable;
  text(): Promise<string>;
}

/** How a connection is made. */
export interface Route {
  lookup?: LookupFunction;
  agents?: { http: HttpAgent; https: HttpsAgent };
  /** A Unix socket to connect to instead of the host. */
  socketPath?: string;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;

/** Makes one HTTP request, with limits of time and size. A redirect is returned as the answer and not followed. */
export function exchange(url: URL, request: PassingRequest, route: Route): Promise<OutboundAnswer> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES, idleMs, leastSpeed, body } = request;
  const isSecure = url.protocol === "https:";
  const length = body === undefined || body instanceof Readable ? {} : { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    if (request.signal?.aborted) {
      reject(request.signal.reason);
      return;
    }
    const outgoing = (isSecure ? httpsRequest : httpRequest)(url, {
      method: request.method ?? "GET",
      headers: { ...request.headers, ...length },
      ...(route.lookup ? { lookup: route.lookup } : {}),
      ...(route.socketPath === undefined ? {} : { socketPath: route.socketPath }),
      // As an option it counts from the look-up on. `setTimeout` of the request would begin when it is connected.
      ...(idleMs === undefined ? {} : { timeout: idleMs }),
      agent: route.agents ? (isSecure ? route.agents.https : route.agents.http) : false,
    });
    let incoming: IncomingMessage | undefined;
    const fail = (error: unknown) => {
      const failure = describeFailure(url, error);
      reject(failure);
      // When the answer has begun, the promise is settled: the error then reaches the reader of its body.
      (incoming ?? outgoing).destroy(failure);
    };
    const timer = setTimeout(() => fail(tooSlow(url, timeoutMs)), timeoutMs);
    // A host that sends a byte now and then is never idle.
    const stopWatching = leastSpeed && watchSpeed(outgoing, leastSpeed, () => fail(tooFewBytes(url, leastSpeed)));
    const onAbort = () => fail(request.signal?.reason);
    request.signal?.addEventListener("abort", onAbort, { once: true });
    const settle = () => {
      clearTimeout(timer);
      stopWatching?.();
      request.signal?.removeEventListener("abort", onAbort);
    };
    if (idleMs !== undefined) outgoing.once("timeout", () => fail(tooSlow(url, idleMs)));
    outgoing.on("error", (error) => reject(describeFailure(url, error)));
    outgoing.once("close", settle);
    outgoing.once("response", (response) => {
      incoming = response;
      resolve(answerOf(url, response, maxBytes));
    });
    // The answer may come before the body. A failure of either side reaches the other one.
    if (body instanceof Readable) {
      outgoing.flushHeaders();
      pipeline(body, outgoing, () => {});
    } else outgoing.end(body);
  });
}

function answerOf(url: URL, response: IncomingMessage, maxBytes: number): OutboundAnswer {
  const body = Readable.from(bounded(url, response, maxBytes), { objectMode: false });
  return {
    url: url.href,
    status: response.statusCode ?? 0,
    headers: response.headers,
    body,
    async text() {
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString("utf8");
    },
  };
}

async function* bounded(url: URL, response: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of response) {
      // The chunks of a response are buffers as long as it has no encoding set.
      bytes += (chunk as Buffer).length;
      if (bytes > maxBytes) throw new OutboundError("too_large", `${url.origin} answered more than ${maxBytes} bytes.`);
      yield chunk as Buffer;
    }
  } catch (error) {
    throw describeFailure(url, error);
  }
}

/**
 * Calls back when fewer bytes than the least came within the time. It looks when some come: of a silent host nobody knows
 * whether it is slow or away. Returns the function that ends the watch.
 */
function watchSpeed(outgoing: ClientRequest, { bytes, withinMs }: LeastSpeed, onTooSlow: () => void): () => void {
  let begunAt: number | undefined;
  let received = 0;
  const onData = (chunk: Buffer) => {
    const now = performance.now();
    begunAt ??= now;
    received += chunk.length;
    if (now - begunAt < withinMs) return;
    if (received < bytes) onTooSlow();
    begunAt = now;
    received = 0;
  };
  outgoing.once("socket", (socket) => socket.on("data", onData));
  return () => outgoing.socket?.off("data", onData);
}

function tooFewBytes(url: URL, { bytes, withinMs }: LeastSpeed): OutboundError {
  const message = `${url.origin} sends too slowly: less than ${bytes} bytes in ${withinMs / 1_000} seconds.`;
  return new OutboundError("too_slow", message);
}

function tooSlow(url: URL, limitMs: number): OutboundError {
  return new OutboundError("timeout", `${url.origin} did not answer within ${limitMs} ms.`);
}

function describeFailure(url: URL, error: unknown): Error {
  if (!(error instanceof Error)) return new Error("The request was aborted.", { cause: error });
  if (error instanceof OutboundError || error.name === "AbortError") return error;
  const { code } = error as NodeJS.ErrnoException;
  // When Node tried several addresses, the error contains one error for each.
  const reason = error.message || (error instanceof AggregateError ? String(error.errors[0]) : code);
  return new OutboundError("network", `${url.origin} cannot be reached: ${reason}.`, { cause: error });
}
