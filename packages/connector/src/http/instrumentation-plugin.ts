import type { Logger } from "@muster/client";
import type { Plugin, SuperAgentRequest } from "superagent";
import type { Metric } from "../metrics/metric.js";
import type { TemplatedRequest } from "./url-template-plugin.js";

export interface InstrumentationPluginOptions {
  logger: Logger;
  metric: Metric;
}

/**
 * Logs every answer as `ship.service_api.request` and counts it as a metric of the same name, and as
 * `ship.service_api.call` for the dashboard.
 */
export function instrumentationPlugin({ logger, metric }: InstrumentationPluginOptions): Plugin {
  return (request) => {
    const outgoing = request as SuperAgentRequest & Partial<TemplatedRequest>;
    let startedAt = performance.now();
    outgoing.on("request", () => {
      startedAt = performance.now();
    });
    outgoing.on("response", ({ status }) => {
      const { method, urlTemplateVariables: vars = {} } = outgoing;
      // The template, not the address: every address would be its own metric, and could hold the id of a person.
      const url = withoutQuery(outgoing.urlTemplate ?? outgoing.url);
      const responseTime = performance.now() - startedAt;
      logger.debug("ship.service_api.request", { url, responseTime, method, status, vars });
      const tags = [
        `method:${method}`,
        `url:${url}`,
        `status:${status}`,
        `statusGroup:${Math.floor(status / 100)}xx`,
        `endpoint:${method} ${url}`,
      ];
      metric.increment("ship.service_api.request", 1, tags);
      metric.increment("ship.service_api.call", 1, tags);
    });
  };
}

/** Without the query, where many services expect their key. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/, "");
}
