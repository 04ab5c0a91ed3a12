import type { Brand } from "@muster/protocol";
import { CONNECTORS_API } from "@muster/protocol/api/connectors";
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

/** The recurring calls of a connector. */
export function scheduleRoutes(app: App, { connectors, scheduler, brand }: ScheduleRoutesOptions): void {
  app.get(
    "/:id/schedules",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "The recurring calls of a connector: when the next one is due, how the last one went",
        ...CONNECTORS_API["GET /api/v1/{id}/schedules"],
      },
    },
    async (request, reply) => {
      const all = await scheduler.list(await findConnector(connectors, request.params.id, request.caller));
      return pageOfAll(request, reply, brand, request.query, all);
    },
  );
}
