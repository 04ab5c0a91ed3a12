import { type Static, Type } from "typebox";
import { ATTRIBUTE_TYPES } from "./choices.js";
import { PageQuery } from "./paging.js";
import { Query } from "./queries.js";
import { anyObjectAs, anyValueAs, nullable, textIn, withDefault } from "./schema.js";
import { AttributeValue, Time } from "./values.js";

export const MAX_FORMULA_LENGTH = 2_000;
export const MAX_COMPUTED_DESCRIPTION_LENGTH = 2_000;

/** What can be said in one number, date or text about events or users. */
export const AGGREGATES = ["count", "sum", "min", "max", "average", "first", "last", "unique"] as const;
export type Aggregate = (typeof AGGREGATES)[number];

const where = (what: string) =>
  Type.Optional(anyObjectAs(Query, { description: `Only ${what} that match this query.` }));
const within = Type.Optional(
  Type.String({
    pattern: "^[1-9][0-9]{0,4}[mhdw]$",
    description: "Only events of this last time: a number with `m` (minutes), `h`, `d` or `w`, such as `30d`.",
  }),
);
const event = Type.String({ minLength: 1, maxLength: 256, description: "The name of the events." });
const property = Type.String({
  minLength: 1,
  maxLength: 256,
  description: "A property of the events; nested ones with dots, such as `cart.total`.",
});
const closed = { additionalProperties: false };
const ONE_KEY = { minProperties: 1, maxProperties: 1, additionalProperties: false };

export const CountOfEvents = Type.Object({ event, where: where("events"), within }, closed);
export type CountOfEvents = Static<typeof CountOfEvents>;
export const ValueOfEvents = Type.Object({ event, property, where: where("events"), within }, closed);
export type ValueOfEvents = Static<typeof ValueOfEvents>;

const CountOfUsers = Type.Object({ where: where("users") }, closed);
const ValueOfUsers = Type.Object(
  {
    attribute: Type.String({ minLength: 1, maxLength: 256, description: "An attribute of the users, as in reports." }),
    where: where("users"),
  },
  closed,
);
const Share = Type.Object(
  { where: anyObjectAs(Query, { description: "Which part of the users matches this query." }) },
  closed,
);

/** One aggregate of an account's users, or of their events. */
export const OverUsers = Type.Partial(
  Type.Object(
    {
      count: Type.Union([CountOfEvents, CountOfUsers]),
      share: Share,
      sum: Type.Union([ValueOfEvents, ValueOfUsers]),
      min: Type.Union([ValueOfEvents, ValueOfUsers]),
      max: Type.Union([ValueOfEvents, ValueOfUsers]),
      average: Type.Union([ValueOfEvents, ValueOfUsers]),
      unique: Type.Union([ValueOfEvents, ValueOfUsers]),
      first: ValueOfEvents,
      last: ValueOfEvents,
    },
    closed,
  ),
  ONE_KEY,
);
export type OverUsers = Static<typeof OverUsers>;

const COMPUTE = {
  count: CountOfEvents,
  sum: ValueOfEvents,
  min: ValueOfEvents,
  max: ValueOfEvents,
  average: ValueOfEvents,
  first: ValueOfEvents,
  last: ValueOfEvents,
  unique: ValueOfEvents,
  formula: Type.String({
    minLength: 1,
    maxLength: MAX_FORMULA_LENGTH,
    description: "An expression over other attributes, such as `plan == 'pro' && seats > 10`.",
  }),
  over_users: OverUsers,
};

/** What a computed attribute says. Exactly one of the keys is given. */
export const Compute = Type.Partial(Type.Object(COMPUTE), {
  ...ONE_KEY,
  component: "Compute",
  description:
    "One of these. `count` is the number of events, `unique` how many different values a property had, `first` and `last` the value of the earliest and the latest event. `over_users` is for accounts: of their users, or of the events of their users.",
});
export type Compute = Static<typeof Compute>;

const target = textIn(["user", "account"], { description: "Whether users or accounts get the attribute." });
const name = Type.String({
  minLength: 1,
  maxLength: 256,
  description: "The name of the attribute, without `traits_`.",
});
const description = Type.String({ maxLength: MAX_COMPUTED_DESCRIPTION_LENGTH, description: "What it means." });
const type = Type.Enum([...ATTRIBUTE_TYPES], {
  description:
    "The type of the values. Counts, sums, averages and shares are always numeric. For the others it is that of the property or attribute when it is left out, and must be given when nothing is known of it.",
});

export const ComputedAttribute = Type.Object(
  {
    id: Type.String(),
    target,
    name: Type.String(),
    description,
    compute: anyObjectAs(Compute),
    type,
    status: textIn(["computing", "ok", "broken"], {
      description:
        "`computing` until everybody has the value of the present definition, `broken` when it cannot be computed. Then the values stay as they were.",
    }),
    error: nullable(Type.String(), { description: "Why it is broken." }),
    progress: nullable(Type.Object({ processed: Type.Integer(), total: Type.Integer() }), {
      description: "How many users or accounts are computed, while it is `computing`.",
    }),
    created_at: Time,
    updated_at: Time,
    computed_at: nullable(Time, { description: "When everybody was last computed, or moved by the time." }),
  },
  { component: "ComputedAttribute", description: "An attribute whose values are computed." },
);
export type ComputedAttribute = Static<typeof ComputedAttribute>;

export const NewComputedAttribute = Type.Object({
  target,
  name,
  description: Type.Optional(description),
  compute: Compute,
  type: Type.Optional(type),
  replace: Type.Optional(
    Type.Boolean({
      description:
        "True: an attribute of that name that others have written is computed from now on. Otherwise such a name is refused.",
    }),
  ),
});
export type NewComputedAttribute = Static<typeof NewComputedAttribute>;

export const ComputedAttributeChange = Type.Object({
  description: Type.Optional(description),
  compute: Type.Optional(Compute),
});
export type ComputedAttributeChange = Static<typeof ComputedAttributeChange>;

const SubjectValue = Type.Object({
  id: Type.String({ description: "A user or an account." }),
  name: nullable(Type.String(), { description: "Its name, e-mail address or domain." }),
  value: AttributeValue,
});

const OneEvent = Type.Object({
  id: Type.String(),
  event: Type.String(),
  created_at: Time,
  user_id: Type.String(),
  value: AttributeValue,
});

export const ComputedExplanation = Type.Object(
  {
    definition: ComputedAttribute,
    value: AttributeValue,
    computed: anyValueAs(AttributeValue, {
      description: "What is computed at this moment. It differs from `value` only while a change is on its way.",
    }),
    events: nullable(
      Type.Object({
        count: Type.Integer({ description: "How many events count." }),
        from: nullable(Time, { description: "Since when events count, for a definition with `within`." }),
        first: Type.Array(OneEvent, { description: "The earliest ones, ten at most." }),
        last: Type.Array(OneEvent, { description: "The latest ones, ten at most." }),
      }),
      { description: "For what is computed from events." },
    ),
    inputs: nullable(Type.Array(Type.Object({ name: Type.String(), value: AttributeValue })), {
      description: "For a formula: the attributes that it reads.",
    }),
    users: nullable(
      Type.Object({
        total: Type.Integer({ description: "How many users the account has." }),
        count: Type.Integer({ description: "How many of them match." }),
        largest: Type.Array(SubjectValue, { description: "Those with the largest values, ten at most." }),
      }),
      { description: "For what is computed over the users of an account." },
    ),
  },
  { component: "ComputedExplanation", description: "How a computed value came to be." },
);
export type ComputedExplanation = Static<typeof ComputedExplanation>;

export const ComputedPreview = Type.Object({
  type,
  count: Type.Integer({ description: "How many users or accounts there are." }),
  sample: Type.Array(SubjectValue, { description: "Some of them with the value that they would get, twenty at most." }),
});
export type ComputedPreview = Static<typeof ComputedPreview>;

const params = Type.Object({ id: Type.String({ description: "The id of a computed attribute." }) });

export const COMPUTED_ATTRIBUTES_API = {
  "GET /api/v1/computed_attributes": {
    querystring: Type.Object({
      ...PageQuery.properties,
      target: Type.Optional(textIn(["user", "account"], { description: "Only those of users, or of accounts." })),
    }),
    response: { 200: Type.Array(ComputedAttribute) },
  },
  "POST /api/v1/computed_attributes": { body: NewComputedAttribute, response: { 201: ComputedAttribute } },
  "POST /api/v1/computed_attributes/preview": {
    body: Type.Object({ target, compute: Compute, type: Type.Optional(type) }),
    response: { 200: ComputedPreview },
  },
  "GET /api/v1/computed_attributes/{id}": { params, response: { 200: ComputedAttribute } },
  "PUT /api/v1/computed_attributes/{id}": {
    params,
    body: ComputedAttributeChange,
    response: { 200: ComputedAttribute },
  },
  "DELETE /api/v1/computed_attributes/{id}": {
    params,
    querystring: Type.Object({
      values: withDefault(
        "delete",
        textIn(["delete", "keep"], {
          description: "What becomes of the values: `keep` makes it an ordinary attribute with the values that it has.",
        }),
      ),
    }),
    response: {
      200: Type.Object({
        id: Type.String(),
        deleted: Type.Literal(true),
        job_id: nullable(Type.String(), { description: "The job that deletes the values." }),
      }),
    },
  },
  "GET /api/v1/{id}/computed_attributes/{name}": {
    params: Type.Object({
      id: Type.String({ description: "A user or account id." }),
      name: Type.String({ description: "The name of a computed attribute." }),
    }),
    response: { 200: ComputedExplanation },
  },
};
