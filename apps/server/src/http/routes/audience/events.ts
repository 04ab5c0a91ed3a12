import type { Brand } from "@muster/protocol";
import { EVENTS_API } from "@muster/protocol/api/events";
import type { Events } from "../../../audience/events/events.js";
import type { App } from "../../app-type.js";
import type { ObjectHandler } from "../../object-handler.js";
import { describePage, limitsOf, wantedPage } from "../pagination.js";

export interface EventRoutesOptions {
  events: Events;
  brand: Brand;
}

/** The names of an organization's events, for building queries about them. */
export function eventRoutes(app: App, { events, brand }: EventRoutesOptions): void {
  for (const path of ["/search/event/bootstrap", "/search/events/bootstrap"] as const) {
    app.get(
      path,
      {
        config: { access: "connector" },
        schema: {
          tags: ["search"],
          summary: "Every recorded event name, with its properties and its count",
          ...EVENTS_API[`GET /api/v1${path}`],
        },
      },
      async (request, reply) => {
        const wanted = wantedPage(request.query);
        const listed = await events.list(request.caller.organization.id, wanted && limitsOf(wanted));
        describePage(request, reply, brand, wanted ?? { page: 1, per_page: Math.max(1, listed.total) }, listed.total);
        return listed.events;
      },
    );
  }
}

/** Events under `/:id`. */
export function eventObjects(events: Events): ObjectHandler {
  return { read: (id, { organization }) => events.find(organization.id, id) };
}
