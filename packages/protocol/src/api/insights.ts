import { type Static, Type } from "typebox";
import { INTERVALS } from "./charts.js";
import { MEASURES } from "./choices.js";
import { PageQuery } from "./paging.js";
import { Predicate } from "./predicates.js";
import { Query } from "./queries.js";
import { anyObjectAs, nullable, withDefault } from "./schema.js";
import { MAX_SEGMENT_NAME_LENGTH, Segment } from "./segments.js";
import { UserReport } from "./subjects.js";

/** Points of a trend at most: intervals of all series and values of the breakdown, and those of the time before. */
export const MAX_TREND_POINTS = 50_000;

/** Days of a funnel at most. */
export const MAX_WITHIN_DAYS = 366;

const EVENTS = {
  event: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_000, description: "The name of the event; default: any." }),
  ),
  where: Type.Optional(
    anyObjectAs(Query, {
      description:
        'A query about events, such as `{"range": {"properties.amount": {"gte": 50}}}`. `has_parent` asks about their users.',
    }),
  ),
  conditions: Type.Optional(
    Type.Array(anyObjectAs(Predicate), {
      maxItems: 20,
      description: "Conditions on properties as a builder has them, as `where` of a predicate about an event.",
    }),
  ),
};

const EventChoice = Type.Object(EVENTS, { additionalProperties: false });

const TIME = {
  from: withDefault("now-30d/d", Type.String({ description: "A date or date math, as in queries." })),
  to: withDefault("now", Type.String({ description: "The end, which is not included: a date or date math." })),
  time_zone: withDefault("UTC", Type.String({ description: "Such as `Europe/Paris` or `+02:00`." })),
};

const INTERVAL = {
  interval: withDefault(
    "day",
    Type.Enum([...INTERVALS], { description: "In the time zone; a week begins on Monday." }),
  ),
};

const BREAKDOWN = {
  breakdown: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "Shows the most frequent values by themselves: `properties.plan` of the event, `user.plan` or `account.plan` as they are now. Events without a value are left out.",
    }),
  ),
  limit: withDefault(10, Type.Integer({ minimum: 1, maximum: 50, description: "How many values of the breakdown." })),
};

export const TrendRequest = Type.Object(
  {
    series: Type.Array(
      Type.Object(
        {
          ...EVENTS,
          measure: withDefault("count", Type.Enum([...MEASURES], { description: "`users` counts different users." })),
          property: Type.Optional(
            Type.String({
              minLength: 1,
              description: "The numbers of `sum`, `avg`, `min` and `max`: `properties.amount`.",
            }),
          ),
          segment: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 100,
              description:
                "The id of a segment, instead of events: how many members it had at the end of each interval. Only in UTC and without a breakdown.",
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 10 },
    ),
    ...INTERVAL,
    ...TIME,
    ...BREAKDOWN,
    compare: Type.Optional(
      Type.Boolean({ description: "Also answers the time before: as many intervals, just before the first." }),
    ),
  },
  { additionalProperties: false },
);
export type TrendRequest = Static<typeof TrendRequest>;

export const FunnelRequest = Type.Object(
  {
    steps: Type.Array(EventChoice, {
      minItems: 2,
      maxItems: 10,
      description: "In the order in which users take them.",
    }),
    within: withDefault(
      "7d",
      Type.String({
        pattern: "^[1-9][0-9]{0,5}[mhdw]$",
        description: `The time from the first step to the last: \`30m\`, \`12h\`, \`7d\`, \`4w\`; ${MAX_WITHIN_DAYS} days at most.`,
      }),
    ),
    ...TIME,
    ...BREAKDOWN,
  },
  { additionalProperties: false },
);
export type FunnelRequest = Static<typeof FunnelRequest>;

export const RetentionRequest = Type.Object(
  {
    start: Type.Optional(EventChoice),
    return: Type.Optional(EventChoice),
    ...INTERVAL,
    ...TIME,
  },
  { additionalProperties: false },
);
export type RetentionRequest = Static<typeof RetentionRequest>;

const SliceValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
  description: "The value of the breakdown; null without one.",
});

const ANSWERED_TIME = {
  from: Type.String({ description: "The start of the time that was asked about." }),
  to: Type.String({ description: "Its end." }),
};

const TREND = {
  ...ANSWERED_TIME,
  series: Type.Array(
    Type.Object({
      series: Type.Integer({ description: "The place of the series in the request, from 0." }),
      breakdown: SliceValue,
      points: Type.Array(
        Type.Object({
          at: Type.String({ description: "The start of the interval." }),
          value: Type.Union([Type.Number(), Type.Null()], {
            description: "0 without events; null when a figure of a property has no values.",
          }),
        }),
      ),
    }),
  ),
};

export const TrendAnswer = Type.Object(
  {
    interval: Type.String(),
    ...TREND,
    previous: Type.Optional(Type.Object(TREND, { description: "The time before, with `compare`." })),
  },
  { component: "TrendAnswer" },
);
export type TrendAnswer = Static<typeof TrendAnswer>;

const Share = Type.Union([Type.Number(), Type.Null()]);

export const FunnelAnswer = Type.Object(
  {
    ...ANSWERED_TIME,
    groups: Type.Array(
      Type.Object({
        breakdown: SliceValue,
        steps: Type.Array(
          Type.Object({
            users: Type.Integer({ description: "How many users have reached the step." }),
            of_first: Type.Union(Share.anyOf, { description: "As a share of those of the first step, from 0 to 1." }),
            of_before: Type.Union(Share.anyOf, { description: "As a share of those of the step before." }),
          }),
        ),
      }),
    ),
  },
  { component: "FunnelAnswer" },
);
export type FunnelAnswer = Static<typeof FunnelAnswer>;

export const RetentionAnswer = Type.Object(
  {
    interval: Type.String(),
    ...ANSWERED_TIME,
    cohorts: Type.Array(
      Type.Object({
        at: Type.String({ description: "The interval of the users' first event of `start` in the time." }),
        users: Type.Integer(),
        returned: Type.Array(Type.Integer(), {
          description: "How many came back: later in the same interval, in the next one, and so on.",
        }),
      }),
    ),
  },
  { component: "RetentionAnswer" },
);
export type RetentionAnswer = Static<typeof RetentionAnswer>;

const QUESTION = {
  trend: Type.Optional(TrendRequest),
  funnel: Type.Optional(FunnelRequest),
  retention: Type.Optional(RetentionRequest),
};

/** One of the three questions. */
export const InsightQuestion = Type.Object(QUESTION, {
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  description: "A trend, a funnel or a retention.",
});
export type InsightQuestion = Static<typeof InsightQuestion>;

const START = "as in the answer: the start of an interval";

export const InsightNumber = Type.Object(
  {
    series: Type.Optional(Type.Integer({ minimum: 0, maximum: 9, description: "The series of a trend; default: 0." })),
    at: Type.Optional(
      Type.String({ maxLength: 40, description: `The bar of a trend or the cohort of a retention, ${START}.` }),
    ),
    breakdown: Type.Optional(SliceValue),
    previous: Type.Optional(Type.Boolean({ description: "The number of a trend is one of the time before." })),
    step: Type.Optional(Type.Integer({ minimum: 0, maximum: 9, description: "The step of a funnel; default: 0." })),
    dropped: Type.Optional(
      Type.Boolean({ description: "Those who have reached the step of the funnel, but not the next one." }),
    ),
    back: Type.Optional(
      Type.String({ maxLength: 40, description: `Those of the cohort who came back then, ${START}.` }),
    ),
  },
  { additionalProperties: false, description: "Which number of the answer." },
);
export type InsightNumber = Static<typeof InsightNumber>;

const NUMBER = { question: InsightQuestion, number: Type.Optional(InsightNumber) };

export const InsightUsersRequest = Type.Object(
  {
    ...NUMBER,
    after: Type.Optional(Type.String({ maxLength: 24, description: "`next` of the page before." })),
    per_page: withDefault(30, Type.Integer({ minimum: 1, maximum: 100 })),
  },
  { additionalProperties: false },
);
export type InsightUsersRequest = Static<typeof InsightUsersRequest>;

export const InsightUsersAnswer = Type.Object({
  users: Type.Array(UserReport),
  next: nullable(Type.String(), { description: "Where the next page begins; null after the last one." }),
});
export type InsightUsersAnswer = Static<typeof InsightUsersAnswer>;

export const InsightSegmentRequest = Type.Object(
  { ...NUMBER, name: Type.String({ minLength: 1, maxLength: MAX_SEGMENT_NAME_LENGTH }) },
  { additionalProperties: false },
);
export type InsightSegmentRequest = Static<typeof InsightSegmentRequest>;

export const MAX_HOME_CARDS = 24;

const InsightName = Type.String({ minLength: 1, maxLength: 200 });
const InsightId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export const SavedInsight = Type.Object(
  {
    id: InsightId,
    name: Type.String(),
    question: InsightQuestion,
    home_place: nullable(Type.Integer(), {
      description: "Its place among the cards of the home, from 0; null without one.",
    }),
    created_at: Type.String(),
    updated_at: Type.String(),
  },
  { component: "SavedInsight", description: "A saved question, which everybody in the organization shares." },
);
export type SavedInsight = Static<typeof SavedInsight>;

const params = Type.Object({ id: Type.Integer({ ...InsightId, description: "The number of the insight." }) });

export const INSIGHTS_API = {
  "POST /api/v1/insights/trend": { body: TrendRequest, response: { 200: TrendAnswer } },
  "POST /api/v1/insights/funnel": { body: FunnelRequest, response: { 200: FunnelAnswer } },
  "POST /api/v1/insights/retention": { body: RetentionRequest, response: { 200: RetentionAnswer } },
  "POST /api/v1/insights/users": { body: InsightUsersRequest, response: { 200: InsightUsersAnswer } },
  "POST /api/v1/insights/segment": { body: InsightSegmentRequest, response: { 201: Segment } },
  "POST /api/v1/insights/csv": {
    body: InsightQuestion,
    response: {
      200: {
        description: "The numbers as a table.",
        content: {
          "text/csv": {
            schema: Type.String({ description: "Comma-separated values, with the names in the first line." }),
          },
        },
      },
    },
  },
  "GET /api/v1/insights": { querystring: PageQuery, response: { 200: Type.Array(SavedInsight) } },
  "POST /api/v1/insights": {
    body: Type.Object({ name: InsightName, question: InsightQuestion }, { additionalProperties: false }),
    response: { 201: SavedInsight },
  },
  "PUT /api/v1/insights/{id}": {
    params,
    body: Type.Object(
      { name: Type.Optional(InsightName), question: Type.Optional(InsightQuestion) },
      { additionalProperties: false },
    ),
    response: { 200: SavedInsight },
  },
  "DELETE /api/v1/insights/{id}": {
    params,
    response: { 200: Type.Object({ id: Type.Integer(), deleted: Type.Literal(true) }) },
  },
  "PUT /api/v1/insights/home": {
    body: Type.Object(
      {
        ids: Type.Array(InsightId, {
          maxItems: MAX_HOME_CARDS,
          uniqueItems: true,
          description: "The insights whose cards are on the home, in their order.",
        }),
      },
      { additionalProperties: false },
    ),
    response: { 200: Type.Array(SavedInsight) },
  },
};
