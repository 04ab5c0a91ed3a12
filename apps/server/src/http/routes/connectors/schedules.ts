import type { Brand } from "@muster/protocol";
import { Type } from "typebox";
import type { ConnectorStore } from "../../../storage/postgres/connectors/connectors.js";
import { listSchedules } from "../../../storage/postgres/connectors/schedule-runs.js";
import { listStatuses } from "../../../storage/postgres/connectors/status-history.js";
import type { Database } from "../../../storage/postgres/database.js";
import type { App } from "../../app-type.js";
import { describePage, limitsOf, PageQuery } from "../pagination.js";
import { findConnector } from "./find-connector.js";

export interface ScheduleRoutesOptions {
  database: Database;
  connectors: ConnectorStore;
  brand: Brand;
}

const Params = Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) });
const NullableTime = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);

const ScheduleRecord = Type.Object({
  kind: Type.String({ description: "`schedule` or `status`." }),
  url: Type.String(),
  timing: Type.String({ description: "`interval` and minutes, or `cron` and an expression." }),
  due_at: Type.String({ format: "date-time" }),
  last_run_at: NullableTime,
  last_result: Type.Union([Type.String(), Type.Null()]),
  last_duration_ms: Type.Union([Type.Integer(), Type.Null()]),
});

const StatusEntry = Type.Object({
  status: Type.String(),
  messages: Type.Array(Type.String()),
  source: Type.String({ description: "Who said so: `install`, `connector`, `poll` or `operator`." }),
  created_at: Type.String({ format: "date-time" }),
});

/** When a connector is called next, and the statuses it had. */
export function scheduleRoutes(app: App, { database, connectors, brand }: ScheduleRoutesOptions): void {
  app.get(
    "/:id/schedules",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "The recurring calls of a connector: when the next is due, how the last one went",
        params: Params,
        response: { 200: Type.Array(ScheduleRecord) },
      },
    },
    async ({ caller, params }) => {
      const connector = await findConnector(connectors, params.id, caller);
      const schedules = await listSchedules(database, caller.organization.id, connector.id);
      return schedules.map(({ kind, url, timing, dueAt, lastRunAt, lastResult, lastDurationMs }) => ({
        kind,
        url,
        timing,
        due_at: dueAt.toISOString(),
        last_run_at: lastRunAt?.toISOString() ?? null,
        last_result: lastResult,
        last_duration_ms: lastDurationMs,
      }));
    },
  );

  app.get(
    "/:id/status/history",
    {
      config: { access: "connector" },
      schema: {
        tags: ["status"],
        summary: "The statuses a connector had, the latest first",
        params: Params,
        querystring: PageQuery,
        response: { 200: Type.Array(StatusEntry) },
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      const connector = await findConnector(connectors, params.id, caller);
      const page = limitsOf(query);
      const { total, entries } = await listStatuses(database, caller.organization.id, connector.id, page);
      describePage(request, reply, brand, query, total);
      return entries.map(({ createdAt, ...entry }) => ({ ...entry, created_at: createdAt.toISOString() }));
    },
  );
}
