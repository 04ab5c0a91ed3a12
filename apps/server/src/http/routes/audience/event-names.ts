import type { Brand } from "@muster/protocol";
import { EVENTS_API } from "@muster/protocol/api/events";
import type { EventNames } from "../../../audience/events/event-names.js";
import type { App } from "../../app-type.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";
import { describePage, limitsOf } from "../pagination.js";

export interface EventNameRoutesOptions {
  eventNames: EventNames;
  brand: Brand;
  noteIncomplete: NoteIncomplete;
}

/** Routes for the names of events: how often each is recorded, and with which properties. */
export function eventNameRoutes(app: App, { eventNames, brand, noteIncomplete }: EventNameRoutesOptions): void {
  app.get(
    "/events/names",
    {
      config: { access: "connector" },
      schema: {
        tags: ["charts"],
        summary: "The names of events, with how often they were recorded lately",
        description: INCOMPLETE,
        ...EVENTS_API["GET /api/v1/events/names"],
      },
    },
    async (request, reply) => {
      await noteIncomplete(request, reply);
      const { caller, query } = request;
      const { total, names } = await eventNames.list(caller.organization.id, {
        ...limitsOf(query),
        order: query.order,
        ...(query.text === undefined ? {} : { text: query.text }),
      });
      describePage(request, reply, brand, query, total);
      return names;
    },
  );

  app.get(
    "/events/properties",
    {
      config: { access: "connector" },
      schema: {
        tags: ["charts"],
        summary: "The properties of the latest 1,000 events with a name",
        ...EVENTS_API["GET /api/v1/events/properties"],
      },
    },
    ({ caller, query }) => eventNames.properties(caller.organization.id, query.event),
  );
}
