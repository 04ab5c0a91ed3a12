import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MS, signToken } from "@muster/protocol";
import { type Answer, call } from "./call.js";
import type { History } from "./history.js";
import { Pauses } from "./pauses.js";
import type { ServerAddress } from "./server-address.js";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

export interface Acknowledgement extends Answer {
  /** When the first attempt began and the last one ended, by the true clock. */
  from: number;
  to: number;
}

/** Behaves like a real client: retries a request unchanged until it is acknowledged. */
export class Sender {
  readonly #server: ServerAddress;
  readonly #history: History;
  readonly #tokens = new Map<string, string>();
  readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  /** When the last acknowledged request began. */
  acknowledgedFrom = 0;
  /** The pauses between acknowledged batches. */
  readonly batches = new Pauses();
  /** The longest time from a call of `waitFor` until the position was searchable. */
  longestWaitMs = 0;
  /** Requests that the server refused for good. There must be none. */
  readonly refused: string[] = [];
  isGivingUp = false;

  constructor(server: ServerAddress, history: History) {
    this.#server = server;
    this.#history = history;
  }

  /** A token of a user. */
  token(externalId: string): string {
    const known = this.#tokens.get(externalId);
    if (known) return known;
    const { connectorId, secret } = this.#server;
    const token = signToken(
      {
        iss: connectorId,
        // Before the time that the server's clock shows, however it is set.
        iat: Math.floor((Date.now() - DAY_MS) / 1_000),
        "io.svc.subjectType": "user",
        "io.svc.asUser": { external_id: externalId },
      },
      secret,
    );
    this.#tokens.set(externalId, token);
    return token;
  }

  /** Sends entries through the gateway. */
  async sendBatch(entries: string[]): Promise<Acknowledgement | undefined> {
    const url = () => `${this.#server.gatewayUrl}/firehose`;
    const answer = await this.#untilAcknowledged(url, this.#connectorHeaders(), () => {
      const now = new Date().toISOString();
      return `{"timestamp":"${now}","sentAt":"${now}","batch":[${entries.join(",")}]}`;
    });
    if (answer) this.batches.notice(Date.now());
    return answer;
  }

  /** Calls the API in the name of a user. Attempts have the same key, so they take effect once. */
  callAs(externalId: string, path: string, key: string, body: object): Promise<Acknowledgement | undefined> {
    const headers = {
      "svc-organization": "default",
      "svc-access-token": this.token(externalId),
      "idempotency-key": key,
    };
    const url = () => `${this.#server.apiUrl}/api/v1${path}`;
    return this.#untilAcknowledged(url, headers, () => JSON.stringify(body));
  }

  /** Waits until a position is searchable and its segments are evaluated. */
  async waitFor(position: string): Promise<boolean> {
    const headers = { ...this.#connectorHeaders(), "svc-wait-for": position };
    const begunAt = Date.now();
    while (!this.isGivingUp) {
      const answer = await call(this.agent, `${this.#server.apiUrl}/api/v1/app`, { method: "GET", headers }).catch(
        () => undefined,
      );
      if (answer?.status === 200) {
        this.longestWaitMs = Math.max(this.longestWaitMs, Date.now() - begunAt);
        return true;
      }
      await sleep(FIRST_PAUSE_MS);
    }
    return false;
  }

  /** Aborts the attempts that are under way. The outcome of their requests is unknown. */
  giveUp(): void {
    this.isGivingUp = true;
  }

  close(): void {
    this.agent.destroy();
  }

  async #untilAcknowledged(
    url: () => string,
    headers: Record<string, string>,
    body: () => string,
  ): Promise<Acknowledgement | undefined> {
    const from = Date.now();
    for (let pause = FIRST_PAUSE_MS; !this.isGivingUp; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const begunAt = Date.now();
      const answer = await this.#attempt(url(), headers, body());
      if (answer?.status === 200) {
        this.acknowledgedFrom = Math.max(this.acknowledgedFrom, begunAt);
        return { ...answer, from, to: Date.now() };
      }
      if (answer && answer.status < 500 && answer.status !== 429) {
        this.refused.push(`${url()} answered ${answer.status}: ${answer.body.slice(0, 200)}`);
        return undefined;
      }
      await sleep(pause);
    }
    return undefined;
  }

  async #attempt(url: string, headers: Record<string, string>, body: string): Promise<Answer | undefined> {
    try {
      const answer = await call(this.agent, url, { method: "POST", headers, body });
      const isDuplicate = answer.body.includes('"duplicate":true');
      this.#history.count(isDuplicate ? "200, known from an earlier attempt" : String(answer.status));
      return answer;
    } catch (error) {
      const { code = "", name } = error as NodeJS.ErrnoException;
      this.#history.count(name === "AbortError" ? "no answer in time" : `connection failed ${code}`.trim());
      return undefined;
    }
  }

  #connectorHeaders(): Record<string, string> {
    const { connectorId, secret } = this.#server;
    return { "svc-organization": "default", "svc-app-id": connectorId, "svc-access-token": secret };
  }
}
