import { type Static, Type } from "typebox";
import { OptionalPageQuery, PageQuery } from "./paging.js";
import { type JsonObject, mapOf, withDefault } from "./schema.js";
import { AttributeValue, OptionalText, Time } from "./values.js";

const EVENT = {
  id: Type.String(),
  event: Type.String({ description: "The name of the event." }),
  event_id: Type.String({ description: "Events with the same id replace one another." }),
  event_source: Type.String({ description: "Who sent it; `platform` for events of Muster itself." }),
  event_type: Type.String(),
  created_at: Time,
  user_id: Type.String(),
  account_id: OptionalText,
  anonymous_id: OptionalText,
  session_id: OptionalText,
  entity_id: Type.Optional(Type.String({ description: "The entity that the user acted on." })),
  properties: mapOf(AttributeValue, "What the sender tells about the event."),
  context: mapOf(AttributeValue, "Address, user agent, page, referrer and campaign, where they are known."),
};

export const Event = Type.Object(EVENT, { component: "Event", description: "An event of a user." });
export type Event = Static<typeof Event>;

export const SearchedEvent = Type.Unsafe<JsonObject & { id: string }>({
  ...Type.Partial(Type.Object({ ...EVENT, _id: Type.String() })),
  additionalProperties: AttributeValue,
  description: "An event that a search found. With `include` it has only those fields.",
  component: "SearchedEvent",
});
export type SearchedEvent = Static<typeof SearchedEvent>;

export const EventName = Type.Object(
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
export type EventName = Static<typeof EventName>;

export const EventVolume = Type.Object(
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
export type EventVolume = Static<typeof EventVolume>;

export const EventProperty = Type.Object(
  {
    name: Type.String({ description: "With dots for values within objects." }),
    types: Type.Array(Type.String(), { description: "The most frequent first." }),
    count: Type.Integer({ description: "How many of the events that were read have a value." }),
    samples: Type.Array(
      Type.Object({ value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]), count: Type.Integer() }),
      { description: "The most frequent values. Long ones are cut." },
    ),
  },
  { component: "EventProperty", description: "A property of events." },
);
export type EventProperty = Static<typeof EventProperty>;

const listNames = { querystring: OptionalPageQuery, response: { 200: Type.Array(EventName) } };

export const EVENTS_API = {
  "GET /api/v1/search/event/bootstrap": listNames,
  "GET /api/v1/search/events/bootstrap": listNames,
  "GET /api/v1/events/names": {
    querystring: Type.Object({
      ...PageQuery.properties,
      text: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: "Part of the name." })),
      order: withDefault(
        "volume",
        Type.Enum(["volume", "name", "last"], {
          description: "`volume`: by the last 30 days; `last`: by the latest event.",
        }),
      ),
    }),
    response: { 200: Type.Array(EventVolume) },
  },
  "GET /api/v1/events/properties": {
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
};
