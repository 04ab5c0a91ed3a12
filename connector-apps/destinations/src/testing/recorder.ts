import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request that a destination made. */
export interface RecordedRequest {
  method: string;
  /** The whole address as the destination gave it. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface RecordedAnswer {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** No answer comes. */
  hangs?: boolean;
}

type Rule = (request: RecordedRequest) => RecordedAnswer | undefined;

/** Stands for the services of all destinations: keeps every request and gives the answers that a test prepares. */
export class Recorder {
  readonly requests: RecordedRequest[] = [];
  readonly #rules: Rule[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (incoming, response) => {
      const { "x-recorded-origin": origin = "", ...headers } = incoming.headers;
      const request = {
        method: incoming.method ?? "",
        url: `${String(origin)}${incoming.url ?? ""}`,
        headers,
        body: await text(incoming),
      };
      this.requests.push(request);
      const { status = 200, body = {}, headers: more = {}, hangs } = this.#answerTo(request);
      if (hangs) return;
      const isText = typeof body === "string";
      response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json", ...more });
      response.end(isText ? body : JSON.stringify(body));
    });
  }

  get port(): number {
    // `address()` is a string only for pipes.
    return (this.#server.address() as AddressInfo).port;
  }

  async open(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  /** The last rule that has an answer counts. */
  answer(rule: Rule): void {
    this.#rules.unshift(rule);
  }

  /** Forgets rules and requests. */
  clear(): void {
    this.#rules.length = 0;
    this.requests.length = 0;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answerTo(request: RecordedRequest): RecordedAnswer {
    for (const rule of this.#rules) {
      const answer = rule(request);
      if (answer) return answer;
    }
    return {};
  }
}

/** The body of a request as JSON. */
export function jsonOf({ body }: RecordedRequest): unknown {
  return JSON.parse(body);
}
