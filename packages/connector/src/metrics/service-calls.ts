import type { Client } from "@muster/client";
import { reasonOf, writeLogLine } from "@muster/protocol";
import { MAX_METRIC_VALUE } from "@muster/protocol/api/connector-metrics";
import type { Credentials } from "../trust/credentials.js";
import type { MetricSink } from "./metric-sink.js";

const CALL = "ship.service_api.call";
const REMAINING = "ship.service_api.remaining";
// Muster counts by the minute. Six reports a minute show what happens now, whatever the number of calls is.
const REPORT_EVERY_MS = 10_000;
// Muster has accepted the credentials of each connector here, so that nobody can fill the memory.
const MAX_CONNECTORS = 10_000;

interface Counted {
  client: Client;
  calls: number;
  remaining: number | undefined;
}

/**
 * Reports to Muster how much the connector uses the API of its service: the metrics `ship.service_api.call` and
 * `ship.service_api.remaining`, which the connector's screen shows. Values are gathered for ten seconds. A report that
 * cannot be sent is lost, and written to the connector's own log.
 */
export class ServiceCalls {
  readonly #counted = new Map<string, Counted>();
  #timer: NodeJS.Timeout | undefined;
  #reporting: Promise<void> = Promise.resolve();

  /** The sink of a context: all contexts of a connector add to the same report. */
  sinkFor(client: Client, { organization, id }: Credentials): MetricSink {
    const key = `${organization} ${id}`;
    return {
      increment: (name, value) => {
        if (name === CALL) this.#note(key, client, (counted) => ({ calls: counted.calls + value }), value);
      },
      value: (name, value) => {
        if (name !== REMAINING) return;
        this.#note(key, client, ({ remaining = value }) => ({ remaining: Math.min(remaining, value) }), value);
      },
      event() {},
    };
  }

  /** Sends what is gathered. Resolves when it is sent, or has failed. */
  async settled(): Promise<void> {
    this.#report();
    await this.#reporting;
  }

  #note(key: string, client: Client, change: (counted: Counted) => Partial<Counted>, value: number): void {
    // A header that a service has left out becomes no number.
    if (!Number.isFinite(value) || value < 0) return;
    const counted = this.#counted.get(key);
    if (!counted && this.#counted.size >= MAX_CONNECTORS) return;
    const before = counted ?? { client, calls: 0, remaining: undefined };
    this.#counted.set(key, { ...before, client, ...change(before) });
    this.#timer ??= setTimeout(() => this.#report(), REPORT_EVERY_MS).unref();
  }

  #report(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counted = [...this.#counted.values()];
    this.#counted.clear();
    const before = this.#reporting;
    this.#reporting = Promise.all([before, ...counted.map(send)]).then(() => {});
  }
}

async function send({ client, calls, remaining }: Counted): Promise<void> {
  const metrics = [
    ...(calls > 0 ? [{ name: CALL, value: calls }] : []),
    // Some services say with an enormous number that they have no limit.
    ...(remaining === undefined ? [] : [{ name: REMAINING, value: Math.min(remaining, MAX_METRIC_VALUE) }]),
  ];
  try {
    if (metrics.length > 0) await client.post("/app/metrics", { metrics });
  } catch (error) {
    // Not an error of the connector: it works, and only its figures have a gap.
    writeLogLine({ level: "warn", message: "connector.metrics.unsent", data: reasonOf(error) });
  }
}
