import type { Brand } from "@muster/protocol";
import { Type } from "typebox";
import type { LogSummaries } from "../../../connectors/log-summaries.js";
import { readLogs } from "../../../connectors/read-logs.js";
import {
  type ConnectorLogWriter,
  LOG_LEVELS,
  listConnectorLogs,
} from "../../../storage/postgres/connectors/connector-logs.js";
import type { ConnectorStore } from "../../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../../storage/postgres/database.js";
import type { App } from "../../app-type.js";
import { describePage, limitsOf, PageQuery } from "../pagination.js";
import { findOwnConnector } from "./find-connector.js";

export interface ConnectorLogRoutesOptions {
  database: Database;
  connectors: ConnectorStore;
  logs: ConnectorLogWriter;
  summaries: LogSummaries;
  brand: Brand;
}

const Params = Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) });

const LogRecord = Type.Object({
  at: Type.String({ format: "date-time" }),
  level: Type.String(),
  message: Type.String(),
  data: Type.Object({}, { additionalProperties: true }),
  summary: Type.String({ description: "What an error wants people to know (`hull_summary`)." }),
});

/** What connectors log, in and out. */
export function connectorLogRoutes(app: App, options: ConnectorLogRoutesOptions): void {
  const { database, connectors, logs, summaries, brand } = options;

  app.post(
    "/:id/logs",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "Keep what a connector logged: one line, a list, or a list under `logs`",
        description: "An error with `hull_summary` is shown to people and mailed to them.",
        params: Params,
        body: Type.Union([
          Type.Object({}, { additionalProperties: true }),
          Type.Array(Type.Object({}, { additionalProperties: true })),
        ]),
        response: { 200: Type.Object({ logged: Type.Integer() }) },
      },
    },
    async ({ caller, params, body }) => {
      const connector = await findOwnConnector(connectors, params.id, caller);
      const now = new Date();
      const lines = readLogs(body, now);
      const { organizationId, id: connectorId } = connector;
      logs.add(lines.map((line) => ({ ...line, organizationId, connectorId })));
      await logs.flush();
      const told = lines.filter(({ level, summary }) => level === "error" && summary !== "");
      await summaries.mail(
        connector,
        told.map(({ summary }) => summary),
        now.getTime(),
      );
      return { logged: lines.length };
    },
  );

  app.get(
    "/:id/logs",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "What a connector logged, the latest first",
        params: Params,
        querystring: Type.Intersect([
          PageQuery,
          Type.Object({
            level: Type.Optional(Type.Enum([...LOG_LEVELS])),
            summaries: Type.Boolean({ default: false, description: "Only errors that people should know about." }),
          }),
        ]),
        response: { 200: Type.Array(LogRecord) },
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      const connector = await findOwnConnector(connectors, params.id, caller);
      const { level, summaries: onlySummaries } = query;
      const filter = { summaries: onlySummaries, ...(level === undefined ? {} : { level }), ...limitsOf(query) };
      const found = await listConnectorLogs(database, caller.organization.id, connector.id, filter);
      describePage(request, reply, brand, query, found.total);
      return found.logs;
    },
  );
}
