import { type Static, Type } from "typebox";
import { PROPERTY_TYPES } from "./choices.js";
import { Job } from "./jobs.js";
import { OptionalPageQuery, PageQuery } from "./paging.js";
import { type JsonObject, mapOf, nullable, withDefault } from "./schema.js";
import { AttributeValue, OptionalText, OptionalTime, Time } from "./values.js";

const EVENT = {
  id: Type.String(),
  event: Type.String({ description: "The name of the event." }),
  sent_as: Type.Optional(
    Type.String({ description: "The name that it came with, when this was merged into `event`." }),
  ),
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

const PLANNED = {
  name: Type.String({ minLength: 1, maxLength: 256 }),
  type: Type.Enum([...PROPERTY_TYPES], {
    description: "`date`: a text that can be read as a date. `json`: an object.",
  }),
  required: Type.Boolean({ description: "Every event must have a value of it." }),
  description: Type.String({ maxLength: 1_000 }),
};

export const PlannedProperty = Type.Object(PLANNED, {
  component: "PlannedProperty",
  description: "What a property of events must be.",
});
export type PlannedProperty = Static<typeof PlannedProperty>;

export const PlanProblem = Type.Object(
  {
    property: Type.String(),
    problem: Type.Enum(["unknown", "wrong_type", "missing"], {
      description: "`unknown`: the plan does not have the property. `missing`: the plan requires it.",
    }),
    found: Type.String({ description: "The type of the last such value; empty for a missing property." }),
    count: Type.Integer({ description: "How many events, since the properties of the plan were last changed." }),
    refused: Type.Integer({ description: "How many of these events were refused." }),
    first_at: Time,
    last_at: Time,
  },
  { component: "PlanProblem", description: "What did not follow the plan of an event name." },
);
export type PlanProblem = Static<typeof PlanProblem>;

const PLAN = {
  description: Type.String({ maxLength: 2_000, description: "What the event means." }),
  owner: Type.String({ maxLength: 200, description: "Who answers questions about it." }),
  hidden: Type.Boolean({ description: "Lists of names do not offer it. Its events stay." }),
  refuse: Type.Boolean({
    description: "Events that do not follow the plan are refused, and listed under `/ingestion/rejected`.",
  }),
};

export const EventPlan = Type.Object(
  {
    event: Type.String(),
    ...PLAN,
    properties: nullable(Type.Array(PlannedProperty), { description: "Null: its events may have any properties." }),
    merged_into: nullable(Type.String(), { description: "Events with this name are stored under that name." }),
    can_be_separated: Type.Boolean({ description: "Whether the merge into that name can be undone." }),
    merged_from: Type.Array(Type.String(), { description: "Names whose events are stored under this name." }),
    problems: Type.Array(PlanProblem, { description: "The most frequent first." }),
    updated_at: OptionalTime,
  },
  { component: "EventPlan", description: "What an organization has decided about a name of events." },
);
export type EventPlan = Static<typeof EventPlan>;

const NewPlannedProperty = Type.Object({
  ...PLANNED,
  required: Type.Optional(Type.Boolean({ description: "Every event must have a value of it. Default: false." })),
  description: Type.Optional(PLANNED.description),
});

export const EventPlanChange = Type.Object({
  event: Type.String({ minLength: 1, maxLength: 512, description: "The name. It may be new." }),
  ...Type.Partial(Type.Object(PLAN)).properties,
  properties: Type.Optional(
    nullable(Type.Array(NewPlannedProperty, { maxItems: 500 }), {
      description: "Null: its events may have any properties. A change sets the counts of problems back.",
    }),
  ),
});
export type EventPlanChange = Static<typeof EventPlanChange>;

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
    description: PLAN.description,
    owner: PLAN.owner,
    hidden: PLAN.hidden,
    planned: Type.Boolean({ description: "Whether the tracking plan says which properties its events have." }),
    problems: Type.Integer({ description: "How often events did not follow the plan since it was last changed." }),
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
      hidden: withDefault(
        false,
        Type.Boolean({ description: "Also names that are hidden, and names that were merged into others." }),
      ),
      order: withDefault(
        "volume",
        Type.Enum(["volume", "name", "last"], {
          description: "`volume`: by the last 30 days; `last`: by the latest event.",
        }),
      ),
    }),
    response: { 200: Type.Array(EventVolume) },
  },
  "GET /api/v1/events/plan": {
    querystring: Type.Object({ event: Type.String({ minLength: 1, maxLength: 512, description: "The name." }) }),
    response: { 200: EventPlan },
  },
  "POST /api/v1/events/merge": {
    body: Type.Object({
      from: Type.String({ minLength: 1, maxLength: 512, description: "The name that goes." }),
      into: Type.String({ minLength: 1, maxLength: 512, description: "The name that stays. It may be new." }),
    }),
    response: { 201: Job },
  },
  "POST /api/v1/events/unmerge": {
    body: Type.Object({
      event: Type.String({ minLength: 1, maxLength: 512, description: "The name that was merged into another." }),
    }),
    response: { 201: Job },
  },
  "PUT /api/v1/events/plan": { body: EventPlanChange, response: { 200: EventPlan } },
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
