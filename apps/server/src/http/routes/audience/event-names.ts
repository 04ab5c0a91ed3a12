import type { Brand } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { EventNames } from "../../../audience/event-names.js";
import type { App } from "../../app-type.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";
import { describePage, limitsOf } from "../pagination.js";

const ORDERS = ["volume", "name", "last"] as const;

const EventVolume = Type.Object(
  {
    name: Type.String(),
    count: Type.Integer({ description: "All that are stored." }),
    last_24_hours: Type.Integer(),
    last_7_days: Type.Integer(),
    last_30_days: Type.Integer(),
    first_at: Type.String(),
    last_at: Type.String(),
    emitted: Type.Boolean({ description: "Whether Muster itself recorded some of these events." }),
    sources: Type.Array(Type.String()),
    days: Type.Array(Type.Integer(), { description: "Events on each of the last 30 days in UTC; the last is today." }),
  },
  { component: "EventVolume", description: "A name of events, and how often they were recorded." },
);

const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

const EventProperty = Type.Object(
  {
    name: Type.String({ description: "With dots for values within objects." }),
    types: Type.Array(Type.String(), { description: "The most frequent first." }),
    count: Type.Integer({ description: "How many of the events that were read have a value." }),
    samples: Type.Array(Type.Object({ value: Value, count: Type.Integer() }), {
      description: "The most frequent values. Long ones are cut.",
    }),
  },
  { component: "EventProperty", description: "A property of events." },
);

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
        querystring: Type.Object({
          ...PageQuery.properties,
          text: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: "Part of the name." })),
          order: Type.Enum([...ORDERS], {
            default: "volume",
            description: "`volume`: by the last 30 days; `last`: by the latest event.",
          }),
        }),
        response: { 200: Type.Array(EventVolume) },
      },
    },
    async (request, reply) => {
      await noteIncomplete(request, reply);
      const { caller, query } = request;
      const { total, names } = await eventNames.list(caller.organization.id, {
        ...limitsOf(query),
        // The schema of the route has checked it.
        order: query.order as (typeof ORDERS)[number],
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
        querystring: Type.Object({
          event: Type.String({ minLength: 1, maxLength: 10_000, description: "The name of the events." }),
        }),
        response: {
          200: Type.Object({
            event: Type.String(),
            count: Type.Integer({ description: "How many events with the name are stored." }),
            sampled: Type.Integer({ description: "How many of them were read: the latest ones." }),
            properties: Type.Array(EventProperty),
          }),
        },
      },
    },
    ({ caller, query }) => eventNames.properties(caller.organization.id, query.event),
  );
}
