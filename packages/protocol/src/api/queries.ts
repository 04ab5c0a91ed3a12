import { type TProperties, type TSchema, Type } from "typebox";
import { type JsonObject, mapOf, refTo, textIn } from "./schema.js";
import { Scalar } from "./values.js";

const Text = Type.String();
const Count = Type.Integer({ minimum: 0 });
const AndOr = textIn(["and", "or", "AND", "OR"]);
const Clause = refTo<JsonObject>("Query");
const OneOrMany = Type.Union([Clause, Type.Array(Clause)]);
const Filters = Type.Union([Type.Array(Clause), Type.Object({ filters: Type.Array(Clause) })]);
const MinimumShouldMatch = Type.Unsafe<string | number>({ type: ["string", "integer"] });

/** An object whose properties may all be left out. */
function partOf(properties: TProperties, description?: string) {
  return Type.Partial(Type.Object(properties), description === undefined ? {} : { description });
}

function field(description: string) {
  return Type.Object({ field: Text }, { description });
}

/** An object with the name of one field as its key. */
function byField(values: TSchema, description: string) {
  return { ...mapOf(values, description), maxProperties: 1 };
}

const TextQuery = Type.Union([
  Scalar,
  partOf({ query: Scalar, value: Scalar, operator: AndOr, minimum_should_match: MinimumShouldMatch }),
]);
const Range = partOf({
  gt: Scalar,
  gte: Scalar,
  lt: Scalar,
  lte: Scalar,
  format: Text,
  time_zone: Type.String({ description: "An IANA zone, or an offset such as `+02:00`." }),
});
const WORDS = {
  query: Text,
  fields: Type.Optional(Type.Array(Text)),
  default_operator: Type.Optional(AndOr),
};
const CHILDREN = {
  type: Type.Optional(Type.Literal("event")),
  query: Clause,
  min_children: Type.Optional(Count),
  max_children: Type.Optional(Count),
};
const BOTH = { query: Clause, filter: OneOrMany };

const CLAUSES = {
  match_all: partOf({ boost: Type.Number() }, "Everything."),
  match_none: partOf({ boost: Type.Number() }, "Nothing."),
  bool: partOf(
    {
      must: OneOrMany,
      filter: OneOrMany,
      should: OneOrMany,
      must_not: OneOrMany,
      minimum_should_match: MinimumShouldMatch,
    },
    "Combines clauses. One of `should` must match when there is no `must` and no `filter`.",
  ),
  and: Filters,
  or: Filters,
  not: Type.Union([Clause, Type.Object({ filter: Clause })]),
  constant_score: partOf(BOTH, "Both must match; scores do not exist."),
  filtered: partOf(BOTH, "Both must match."),
  term: byField(Type.Union([Scalar, partOf({ value: Scalar })]), "A field has exactly this value."),
  terms: byField(Type.Array(Scalar), "A field has one of these values."),
  ids: partOf({ values: Type.Array(Text), type: Text }, "Objects with these ids."),
  range: byField(Range, "A number or date between limits. Dates take date math, such as `now-30d/d`."),
  exists: field("The field has a value."),
  missing: field("The field has no value."),
  prefix: byField(TextQuery, "The value, or a word of it, begins with this."),
  wildcard: byField(TextQuery, "`*` stands for any text, `?` for one character."),
  regexp: byField(TextQuery, "The whole value matches the regular expression."),
  match: byField(TextQuery, "The value has these words, in any order and case."),
  match_phrase: byField(TextQuery, "The value has these words, in this order."),
  match_phrase_prefix: byField(TextQuery, "The same; the last word may be the beginning of a word."),
  multi_match: Type.Object(
    {
      query: Text,
      fields: Type.Array(Text),
      type: Type.Optional(textIn(["best_fields", "most_fields", "cross_fields", "phrase", "phrase_prefix"])),
      operator: Type.Optional(AndOr),
    },
    { description: "Words in any of several fields." },
  ),
  query_string: Type.Object(WORDS, { description: "Plain words." }),
  simple_query_string: Type.Object(WORDS, { description: "Plain words." }),
  has_child: Type.Object(CHILDREN, { description: "Users with events that match, so many of them." }),
  with_child: Type.Object(CHILDREN, { description: "The same as `has_child`." }),
  has_parent: Type.Object(
    { parent_type: Type.Optional(Text), type: Type.Optional(Text), query: Clause },
    { description: "Events of users who match." },
  ),
  parent_id: partOf({ id: Text, type: Text }, "Events of the user with this id."),
};

/**
 * A query. The parser of `@muster/query` checks it, so to the compiler it is any JSON object: the keys of most clauses
 * are names of fields, which nobody knows beforehand.
 */
export const Query = Type.Unsafe<JsonObject>({
  ...Type.Partial(Type.Object(CLAUSES)),
  maxProperties: 1,
  additionalProperties: false,
  description:
    "One clause. `{}` matches everything. Fields are named as in reports; user attributes with or without `traits_`. `.raw`, `.exact` and `.keyword` compare the exact value, `account.<name>` is an attribute of the user's account, `properties.<name>` of an event.",
  component: "Query",
});
export type Query = JsonObject;

const Metric = field("A figure about the values of a field.");
const Order = textIn(["asc", "desc"]);
const Interval = Type.Unsafe<string | number>({
  type: ["string", "number"],
  description: "A number, or a span such as `day` or `7d`.",
});

const Aggregation = partOf(
  {
    filter: Clause,
    filters: Type.Object({
      filters: Type.Union([Type.Array(Clause), mapOf(Clause, "Queries by the key of their bucket.")]),
    }),
    terms: Type.Object({
      field: Text,
      size: Type.Optional(Count),
      order: Type.Optional(mapOf(Order, "`_count` or `_term`, and the order.")),
      min_doc_count: Type.Optional(Count),
    }),
    missing: Metric,
    cardinality: Metric,
    stats: Metric,
    sum: Metric,
    avg: Metric,
    min: Metric,
    max: Metric,
    histogram: Type.Object({ field: Text, interval: Interval, min_doc_count: Type.Optional(Count) }),
    date_histogram: Type.Object({
      field: Text,
      interval: Interval,
      time_zone: Type.Optional(Text),
      min_doc_count: Type.Optional(Count),
    }),
    range: Type.Object({ field: Text, ranges: Type.Array(partOf({ key: Text, from: Scalar, to: Scalar })) }),
    aggs: refTo("Aggregations"),
    aggregations: refTo("Aggregations"),
  },
  "One kind of figures, and figures for each of its buckets under `aggs`.",
);

export const Aggregations = Type.Unsafe<JsonObject>({
  ...mapOf(Aggregation, "Figures about all that matches, each under a name that the answer repeats."),
  component: "Aggregations",
});

const SortEntry = Type.Union([
  Text,
  mapOf(Type.Union([Order, partOf({ order: Order, missing: textIn(["_first", "_last"]) })]), "Fields and their order."),
]);

export const Sort = Type.Unsafe<string | JsonObject | (string | JsonObject)[]>({
  ...Type.Union([SortEntry, Type.Array(SortEntry)]),
  description: "Fields to sort by; missing values come last.",
  component: "Sort",
});
