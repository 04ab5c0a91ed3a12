import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from "prom-client";

/** The metrics of a thread as data. */
export type ThreadMetrics = MetricObjectWithValues<MetricValue<string>>[];

/** What a thread beside the main one has measured. */
export async function readThreadMetrics(registry: Registry): Promise<ThreadMetrics> {
  const metrics = await registry.getMetricsAsJSON();
  // A gauge that a thread has never set is 0 there, and says nothing about the whole process.
  const said = metrics.map((metric) =>
    String(metric.type) === "gauge" ? { ...metric, values: metric.values.filter(({ value }) => value !== 0) } : metric,
  );
  return said.filter(({ values }) => values.length > 0);
}

/** All metrics in the text format of Prometheus. Those that several threads have are added up. */
export async function formatMetrics(registry: Registry, threads: readonly ThreadMetrics[]): Promise<string> {
  const shared = new Set(threads.flat().map(({ name }) => name));
  if (shared.size === 0) return registry.metrics();
  const own = await registry.getMetricsAsJSON();
  const added = AggregatorRegistry.aggregate([own.filter(({ name }) => shared.has(name)), ...threads]);
  const alone = own.filter(({ name }) => !shared.has(name)).map(({ name }) => registry.getSingleMetricAsString(name));
  return `${[...(await Promise.all(alone)), (await added.metrics()).trimEnd()].join("\n\n")}\n`;
}
