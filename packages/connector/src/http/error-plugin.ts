import type { Plugin, ResponseError, SuperAgentRequest } from "superagent";
import { TransientError } from "../errors/transient-error.js";

export interface ErrorPluginOptions {
  /** How often a request is repeated when the connection failed. Default 2. */
  retries?: number;
  /** Milliseconds an attempt may take. Default 10,000. */
  timeout?: number;
}

/** The errors of a failed connection. After any other error a request is not repeated: it may have taken effect. */
const FLAKY = new Set(["ECONNRESET", "ETIMEDOUT", "EADDRINFO", "ESOCKETTIMEDOUT", "ECONNABORTED"]);

/**
 * Repeats a request when the connection fails, and finally rejects with a `TransientError`. Also rejects for any status
 * that is not 2xx or 3xx.
 *
 * @example
 * await superagent.get(url).use(errorPlugin({ retries: 2 }));
 */
export function errorPlugin({ retries = 2, timeout = 10_000 }: ErrorPluginOptions = {}): Plugin {
  return (request) => {
    const outgoing = request as SuperAgentRequest;
    outgoing.retry(retries, (error) => isFlaky(error));
    outgoing.ok(({ status }) => status < 400);
    outgoing.timeout(timeout);
    const end = outgoing.end.bind(outgoing);
    outgoing.end = (callback) => end((error, response) => callback?.(error ? explain(error) : error, response));
    // A promise is settled through `end` too, except when an attempt takes too long: that error does not pass `end`.
    const settle = outgoing.then.bind(outgoing);
    // biome-ignore lint/suspicious/noThenProperty: a request is a thenable already; this only changes its errors
    outgoing.then = (onFulfilled, onRejected) =>
      settle(undefined, (error: ResponseError) => Promise.reject(explain(error))).then(onFulfilled, onRejected);
  };
}

function explain(error: ResponseError): Error {
  if (!isFlaky(error)) return error;
  return new TransientError(`The service cannot be reached: ${error.message}`, { cause: error });
}

function isFlaky(error: unknown): boolean {
  return error instanceof Error && "code" in error && FLAKY.has(String(error.code));
}
