import type { MetricSink } from "./metric-sink.js";

/** The part of a StatsD client that is used; `hot-shots` has it. */
export interface StatsdClient {
  increment(name: string, value: number, tags: Record<string, string>): void;
  gauge(name: string, value: number, tags: Record<string, string>): void;
  event(title: string, text: string, options: object, tags: Record<string, string>): void;
}

/**
 * Sends metrics to StatsD.
 *
 * @example
 * import { StatsD } from "hot-shots";
 * new Connector({ instrumentation: [statsdMetrics(new StatsD({ host: "127.0.0.1" }))] });
 */
export function statsdMetrics(client: StatsdClient): MetricSink {
  return {
    increment: (name, value, tags) => client.increment(name, value, { ...tags }),
    value: (name, value, tags) => client.gauge(name, value, { ...tags }),
    event: (name, { text, properties }, tags) => client.event(name, text, {}, { ...tags, ...asTags(properties) }),
  };
}

function asTags(properties: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, String(value)]));
}
