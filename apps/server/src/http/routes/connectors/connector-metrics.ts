import { CONNECTOR_METRICS_API } from "@muster/protocol/api/connector-metrics";
import type { Connectors } from "../../../connectors/connectors.js";
import type { ServiceCalls } from "../../../connectors/service-calls.js";
import type { App } from "../../app-type.js";
import { findOwnConnector, findUsableConnector } from "./find-connector.js";

export interface ConnectorMetricRoutesOptions {
  connectors: Connectors;
  serviceCalls: ServiceCalls;
}

/** Takes what connectors report about the API of their service, and shows it. */
export function connectorMetricRoutes(app: App, { connectors, serviceCalls }: ConnectorMetricRoutesOptions): void {
  app.post(
    "/:id/metrics",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "Count calls of a connector to its service, and what the service still allows",
        description:
          "They are counted in the minute in which they arrive. Connectors made with the library report by themselves.",
        ...CONNECTOR_METRICS_API["POST /api/v1/{id}/metrics"],
      },
    },
    async ({ caller, params, body: { metrics } }) => {
      await serviceCalls.add(await findOwnConnector(connectors, params.id, caller), metrics);
      return { counted: metrics.length };
    },
  );

  app.get(
    "/:id/metrics",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "Calls of a connector to its service over time, and what the service still allowed",
        ...CONNECTOR_METRICS_API["GET /api/v1/{id}/metrics"],
      },
    },
    async ({ caller, params, query }) => {
      const connector = await findUsableConnector(connectors, params.id, caller);
      return serviceCalls.read(connector, query.range, new Date());
    },
  );
}
