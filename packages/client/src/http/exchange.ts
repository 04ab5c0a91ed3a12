import http, { type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import { clientError } from "../client-error.js";
import { lookupLocalhost } from "./lookup-localhost.js";

export interface HttpRequest {
  url: URL;
  method: string;
  headers: OutgoingHttpHeaders;
  body?: Buffer | string | undefined;
  timeoutMs: number;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Marks the connections of this library, so that a process which restricts connections can recognise them. */
const MARK = { [Symbol.for("muster.client")]: true };

// Idle sockets do not keep the process alive: Node calls `unref` on sockets in the agent's pool.
const AGENT_OPTIONS = { keepAlive: true, keepAliveMsecs: 1_000 };
const HTTP = { request: http.request, agent: new http.Agent(AGENT_OPTIONS) };
const HTTPS = { request: https.request, agent: new https.Agent(AGENT_OPTIONS) };

/**
 * Makes one request and resolves to its answer, whatever the status. Rejects with `timeout` or `connection_failed`.
 *
 * Uses `node:http` and not `fetch`: the same requests took a quarter of the processor time and half the memory.
 */
export function exchange({ url, method, headers, body, timeoutMs }: HttpRequest): Promise<HttpAnswer> {
  const { request, agent } = url.protocol === "https:" ? HTTPS : HTTP;
  const target = `${method} ${url.origin}${url.pathname}`;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent, lookup: lookupLocalhost, ...MARK });
    const deadline = setTimeout(() => {
      reject(clientError("timeout", `${target} did not answer within ${timeoutMs} ms.`));
      outgoing.destroy();
    }, timeoutMs);
    const fail = (cause: NodeJS.ErrnoException) => {
      clearTimeout(deadline);
      reject(clientError("connection_failed", `${target} failed: ${cause.code ?? cause.message}.`, { cause }));
    };
    outgoing.on("error", fail);
    outgoing.on("response", (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", fail);
      incoming.on("end", () => {
        clearTimeout(deadline);
        const text = Buffer.concat(chunks).toString("utf8");
        // `statusCode` is optional only because Node uses the same class for requests; an answer always has one.
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      });
    });
    outgoing.end(body);
  });
}
