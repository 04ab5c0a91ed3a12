import type { Registry } from "prom-client";
import { createMetrics } from "../runtime/measures/metrics.js";
import { markdownTable } from "./markdown-table.js";

export interface DescribedMetric {
  name: string;
  type: string;
  help: string;
  labels: string[];
}

/** All metrics of a server, also those that Node.js and the process give. */
export function describeMetrics(): DescribedMetric[] {
  const { registry } = createMetrics();
  return registry.getMetricsAsArray().map((metric) => {
    // The types of the library leave out the names of labels, which every metric has.
    const { name, help, type, labelNames } = metric as ReturnType<Registry["getMetricsAsArray"]>[number] & {
      labelNames: string[];
    };
    return { name, help, type: String(type), labels: [...labelNames] };
  });
}

/** The table of Muster's own metrics for docs/operations/monitoring.md. */
export function metricsTable(): string {
  const own = describeMetrics().filter(({ name }) => name.startsWith("muster_"));
  return markdownTable(
    ["Metric", "Type", "Labels", "Meaning"],
    own
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ name, type, labels, help }) => [
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(", "),
        help,
      ]),
  );
}
