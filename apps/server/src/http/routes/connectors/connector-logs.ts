import type { Brand } from "@muster/protocol";
import { CONNECTOR_LOGS_API } from "@muster/protocol/api/connector-logs";
import type { ConnectorLogs } from "../../../connectors/connector-logs.js";
import type { Connectors } from "../../../connectors/connectors.js";
import type { LogFilter } from "../../../domain/connectors/connector-log.js";
import type { App } from "../../app-type.js";
import { describePage, limitsOf } from "../pagination.js";
import { findOwnConnector, findUsableConnector } from "./find-connector.js";

export interface ConnectorLogRoutesOptions {
  connectors: Connectors;
  logs: ConnectorLogs;
  brand: Brand;
}

/** Takes what connectors log, and shows it. */
export function connectorLogRoutes(app: App, { connectors, logs, brand }: ConnectorLogRoutesOptions): void {
  app.post(
    "/:id/logs",
    {
      config: { access: "connector", hasPersonalBody: true },
      schema: {
        tags: ["connectors"],
        summary: "Store what a connector logged: one line, a list, or a list under `logs`",
        description: "The `hull_summary` of an error is shown to people and mailed to the admins.",
        ...CONNECTOR_LOGS_API["POST /api/v1/{id}/logs"],
      },
    },
    async ({ caller, params, body }) => {
      const connector = await findOwnConnector(connectors, params.id, caller);
      return { logged: await logs.add(connector, body, new Date()) };
    },
  );

  app.get(
    "/:id/logs",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "What a connector logged, the latest first",
        ...CONNECTOR_LOGS_API["GET /api/v1/{id}/logs"],
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      const connector = await findUsableConnector(connectors, params.id, caller);
      const filter = { ...filterOf(query), summaries: query.summaries, ...limitsOf(query) };
      const found = await logs.list(connector, filter);
      describePage(request, reply, brand, query, found.total);
      return found.logs;
    },
  );

  app.get(
    "/:id/logs/tail",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "What a connector has logged since the last look",
        description: "Lines appear half a second after they were stored. Ask again with the cursor of the answer.",
        ...CONNECTOR_LOGS_API["GET /api/v1/{id}/logs/tail"],
      },
    },
    async ({ caller, params, query }) => {
      const connector = await findUsableConnector(connectors, params.id, caller);
      const { after, limit } = query;
      return logs.tail(connector, { ...filterOf(query), ...(after === undefined ? {} : { after }), limit });
    },
  );
}

function filterOf({ level, text }: LogFilter): LogFilter {
  return { ...(level === undefined ? {} : { level }), ...(text === undefined || text === "" ? {} : { text }) };
}
