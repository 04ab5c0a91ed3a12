import type { Brand } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { Connectors } from "../../../connectors/connectors.js";
import type { Scheduler } from "../../../connectors/scheduler.js";
import type { App } from "../../app-type.js";
import { pageOfAll } from "../pagination.js";
import { findConnector } from "./find-connector.js";

export interface ScheduleRoutesOptions {
  connectors: Connectors;
  scheduler: Scheduler;
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

/** The recurring calls of a connector. */
export function scheduleRoutes(app: App, { connectors, scheduler, brand }: ScheduleRoutesOptions): void {
  app.get(
    "/:id/schedules",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "The recurring calls of a connector: when the next one is due, how the last one went",
        params: Params,
        querystring: PageQuery,
        response: { 200: Type.Array(ScheduleRecord) },
      },
    },
    async (request, reply) => {
      const all = await scheduler.list(await findConnector(connectors, request.params.id, request.caller));
      return pageOfAll(request, reply, brand, request.query, all);
    },
  );
}
