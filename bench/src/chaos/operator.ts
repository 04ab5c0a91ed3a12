import { setTimeout as sleep } from "node:timers/promises";
import type { ServerAddress } from "./server-address.js";

export const ADMIN_TOKEN = "operator of the benchmark";

const PATIENCE_MS = 60_000;

/** Calls of the API by the operator. A call that fails is made again for a minute. */
export class Operator {
  readonly #server: Pick<ServerAddress, "apiUrl">;

  constructor(server: Pick<ServerAddress, "apiUrl">) {
    this.#server = server;
  }

  async call<Result>(method: string, path: string, body?: object): Promise<Result> {
    return (await (await this.#fetch(method, `${this.#server.apiUrl}/api/v1${path}`, body)).json()) as Result;
  }

  /** Installs a connector. Returns its id. */
  async install(url: string): Promise<string> {
    return (await this.call<{ id: string }>("POST", "/connectors/install", { url })).id;
  }

  /** All users or events, one after the other. */
  async *extract(object: "users" | "events"): AsyncGenerator<Record<string, unknown>> {
    const job = await this.call<{ id: string }>("POST", `/extract/${object}`, { url: null, format: "json", query: {} });
    for (;;) {
      const found = await this.call<{ status: string; download_url?: string; error?: string }>("GET", `/${job.id}`);
      if (found.status === "failed") throw new Error(`The extract of ${object} failed: ${found.error}`);
      if (found.download_url !== undefined) {
        yield* this.#lines(found.download_url);
        return;
      }
      await sleep(250);
    }
  }

  async *#lines(url: string): AsyncGenerator<Record<string, unknown>> {
    const answer = await this.#fetch("GET", url);
    let rest = "";
    const decoder = new TextDecoder();
    for await (const part of answer.body ?? []) {
      const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      // Each line of the file is an object.
      for (const line of lines) if (line !== "") yield JSON.parse(line) as Record<string, unknown>;
    }
    if (rest.trim() !== "") yield JSON.parse(rest) as Record<string, unknown>;
  }

  async #fetch(method: string, url: string, body?: object): Promise<Response> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }).catch(() => undefined);
      if (answer?.ok) return answer;
      const problem = answer ? `answered ${answer.status}: ${await answer.text()}` : "did not answer";
      if (Date.now() > deadline || (answer && answer.status < 500)) throw new Error(`${method} ${url} ${problem}`);
      await sleep(500);
    }
  }
}
