import { type Static, Type } from "typebox";
import { INTERVALS } from "./charts.js";
import { Query } from "./queries.js";
import { anyObjectAs, withDefault } from "./schema.js";

export const MEASURES = ["count", "users", "sum", "avg", "min", "max"] as const;

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
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 10 },
    ),
    ...INTERVAL,
    ...TIME,
    ...BREAKDOWN,
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

export const TrendAnswer = Type.Object(
  {
    interval: Type.String(),
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

export const INSIGHTS_API = {
  "POST /api/v1/insights/trend": { body: TrendRequest, response: { 200: TrendAnswer } },
  "POST /api/v1/insights/funnel": { body: FunnelRequest, response: { 200: FunnelAnswer } },
  "POST /api/v1/insights/retention": { body: RetentionRequest, response: { 200: RetentionAnswer } },
};
