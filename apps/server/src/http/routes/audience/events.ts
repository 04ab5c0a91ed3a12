import type { Brand } from "@muster/protocol";
import { OptionalPageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { Events } from "../../../audience/events.js";
import type { App } from "../../app-type.js";
import type { ObjectHandler } from "../../object-handler.js";
import { describePage, limitsOf, wantedPage } from "../pagination.js";

const EventAnswer = Type.Object(
  {
    name: Type.String(),
    properties: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    count: Type.Integer(),
    created_at: Type.String(),
    updated_at: Type.String(),
    emitted: Type.Boolean({ description: "Whether Muster itself recorded some of these events." }),
  },
  { component: "EventName", description: "A name of events, and their properties." },
);

export interface EventRoutesOptions {
  events: Events;
  brand: Brand;
}

/** The names of an organization's events, for building queries about them. */
export function eventRoutes(app: App, { events, brand }: EventRoutesOptions): void {
  for (const path of ["/search/event/bootstrap", "/search/events/bootstrap"]) {
    app.get(
      path,
      {
        config: { access: "connector" },
        schema: {
          tags: ["search"],
          summary: "Every recorded event name, with its properties and its count",
          querystring: OptionalPageQuery,
          response: { 200: Type.Array(EventAnswer) },
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
