import type { Brand } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { freeObject } from "@muster/protocol/api/schema";
import { Type } from "typebox";
import type { ConnectorLogs } from "../../../connectors/connector-logs.js";
import type { Connectors } from "../../../connectors/connectors.js";
import { LOG_LEVELS, type LogFilter } from "../../../domain/connectors/connector-log.js";
import type { App } from "../../app-type.js";
import { describePage, limitsOf } from "../pagination.js";
import { findOwnConnector, findUsableConnector } from "./find-connector.js";

export interface ConnectorLogRoutesOptions {
  connectors: Connectors;
  logs: ConnectorLogs;
  brand: Brand;
}

const Params = Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) });

const LogRecord = Type.Object({
  at: Type.String({ format: "date-time" }),
  level: Type.String(),
  message: Type.String(),
  data: freeObject("What belongs to the line."),
  summary: Type.String({ description: "What people should know about an error (`hull_summary`)." }),
});

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
        params: Params,
        body: Type.Union(
          [
            Type.Object({}, { additionalProperties: true }),
            Type.Array(Type.Object({}, { additionalProperties: true })),
          ],
          { documentedAs: "LogLines" },
        ),
        response: { 200: Type.Object({ logged: Type.Integer({ description: "Lines that were taken." }) }) },
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
        params: Params,
        querystring: Type.Intersect([
          PageQuery,
          Type.Object({
            level: Type.Optional(Type.Enum([...LOG_LEVELS], { description: "Only lines of this level." })),
            summaries: Type.Boolean({ default: false, description: "Only lines with a summary." }),
            text: Type.Optional(Type.String({ description: "Only lines that contain this text." })),
          }),
        ]),
        response: { 200: Type.Array(LogRecord) },
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
        params: Params,
        querystring: Type.Object({
          after: Type.Optional(
            Type.String({
              pattern: "^[0-9]{1,18}$",
              description: "The cursor of an answer; without it, the last lines.",
            }),
          ),
          limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: "How many lines, about." }),
          level: Type.Optional(Type.Enum([...LOG_LEVELS], { description: "Only lines of this level." })),
          text: Type.Optional(
            Type.String({ description: "Only lines that contain this text, such as an e-mail address or an id." }),
          ),
        }),
        response: {
          200: Type.Object({
            lines: Type.Array(LogRecord, { description: "The oldest first." }),
            cursor: Type.String(),
          }),
        },
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
