import type { RequestHandler } from "express";
import { Counter, Gauge, Registry } from "prom-client";
import type { MetricSink, Tags } from "./metric-sink.js";

export interface PrometheusMetrics extends MetricSink {
  /** Answers a scrape by Prometheus. Make it reachable for your scraper only: it holds the names of organizations. */
  readonly scrape: RequestHandler;
}

/**
 * Collects metrics for Prometheus: `ship.service_api.call` becomes the counter `ship_service_api_call_total`. Prometheus
 * wants fixed labels, so a metric keeps the labels of its first use, and tags that come later are left out.
 *
 * @example
 * const metrics = prometheusMetrics();
 * const connector = new Connector({ instrumentation: [metrics] });
 * app.get("/metrics", metrics.scrape);
 */
export function prometheusMetrics(registry = new Registry()): PrometheusMetrics {
  const counters = new Map<string, { metric: Counter; labels: string[] }>();
  const gauges = new Map<string, { metric: Gauge; labels: string[] }>();
  const increment = (name: string, value: number, tags: Tags) => {
    const counter = counters.get(name) ?? { labels: labelsOf(tags), metric: undefined };
    const { labels } = counter;
    const metric = counter.metric ?? new Counter({ ...describe(`${name}_total`, labels), registers: [registry] });
    counters.set(name, { metric, labels });
    metric.inc(pick(tags, labels), value);
  };
  return {
    increment,
    value(name, value, tags) {
      const gauge = gauges.get(name) ?? { labels: labelsOf(tags), metric: undefined };
      const { labels } = gauge;
      const metric = gauge.metric ?? new Gauge({ ...describe(name, labels), registers: [registry] });
      gauges.set(name, { metric, labels });
      metric.set(pick(tags, labels), value);
    },
    // Prometheus has no events, so each event is counted.
    event: (name, _event, tags) => increment(name, 1, tags),
    async scrape(_request, response) {
      response.type(registry.contentType).send(await registry.metrics());
    },
  };
}

function describe(name: string, labelNames: string[]) {
  return { name: identifier(name), help: `The metric ${name}.`, labelNames };
}

function labelsOf(tags: Tags): string[] {
  return Object.keys(tags).map(identifier);
}

function pick(tags: Tags, labels: string[]): Record<string, string> {
  const values = Object.entries(tags).map(([name, value]): [string, string] => [identifier(name), value]);
  return Object.fromEntries(values.filter(([name]) => labels.includes(name)));
}

function identifier(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_");
}
