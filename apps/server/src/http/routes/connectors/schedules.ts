import type { Brand } from "@muster/protocol";
import { Type } from "typebox";
import type { ConnectorStatuses } from "../../../connectors/connector-statuses.js";
import type { Connectors } from "../../../connectors/connectors.js";
import type { Scheduler } from "../../../connectors/scheduler.js";
import type { App } from "../../app-type.js";
import { describePage, limitsOf, PageQuery } from "../pagination.js";
import { findConnector } from "./find-connector.js";

export interface ScheduleRoutesOptions {
  connectors: Connectors;
  scheduler: Scheduler;
  statuses: ConnectorStatuses;
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
  source: Type.String({ description: "Who set it: `install`, `connector`, `poll` or `operator`." }),
  created_at: Type.String({ format: "date-time" }),
});

/** The recurring calls of a connector, and the statuses it had. */
export function scheduleRoutes(app: App, options: ScheduleRoutesOptions): void {
  const { connectors, scheduler, statuses, brand } = options;

  app.get(
    "/:id/schedules",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "The recurring calls of a connector: when the next one is due, how the last one went",
        params: Params,
        response: { 200: Type.Array(ScheduleRecord) },
      },
    },
    async ({ caller, params }) => {
      return scheduler.list(await findConnector(connectors, params.id, caller));
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
      const { total, entries } = await statuses.history(connector, limitsOf(query));
      describePage(request, reply, brand, query, total);
      return entries;
    },
  );
}
