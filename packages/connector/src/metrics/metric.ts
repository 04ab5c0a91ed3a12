import type { Instrumentation, Tags } from "./metric-sink.js";

/** The metric agent of a context. Tags are `tag_name:tag_value` strings. */
export interface Metric {
  /**
   * Sets a gauge.
   *
   * @example
   * ctx.metric.value("ship.service_api.remaining", Number(answer.headers["x-ratelimit-remaining"]));
   */
  value(name: string, value?: number, tags?: readonly string[]): void;
  /**
   * Adds to a counter.
   *
   * @example
   * ctx.metric.increment("ship.service_api.call", 1, ["endpoint:GET /contacts"]);
   */
  increment(name: string, value?: number, tags?: readonly string[]): void;
  /**
   * Reports something that happened once.
   *
   * @example
   * ctx.metric.event("sync.finished", { text: "120 contacts", properties: { contacts: 120 } });
   */
  event(name: string, event?: { text?: string; properties?: Readonly<Record<string, unknown>> }): void;
}

/** A metric agent that adds the given tags to every metric. */
export function createMetric(instrumentation: Instrumentation, base: Tags): Metric {
  return {
    value(name, value = 1, tags = []) {
      for (const sink of instrumentation) sink.value(name, value, { ...base, ...readTags(tags) });
    },
    increment(name, value = 1, tags = []) {
      for (const sink of instrumentation) sink.increment(name, value, { ...base, ...readTags(tags) });
    },
    event(name, { text = "", properties = {} } = {}) {
      for (const sink of instrumentation) sink.event(name, { text, properties }, base);
    },
  };
}

function readTags(tags: readonly string[]): Tags {
  return Object.fromEntries(
    tags.map((tag) => {
      const colon = tag.indexOf(":");
      return colon < 0 ? [tag, "true"] : [tag.slice(0, colon), tag.slice(colon + 1)];
    }),
  );
}
