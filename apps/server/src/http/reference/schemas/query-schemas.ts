import { EVENT_OPERATORS, PROPERTY_OPERATORS } from "@muster/query";
import { freeMap, listOf, objectOf, refTo, type Schema, type Schemas, TEXT } from "./schema.js";

const ONE_OR_MANY: Schema = { anyOf: [refTo("Query"), listOf(refTo("Query"))] };
const FILTERS: Schema = { anyOf: [listOf(refTo("Query")), objectOf({ filters: listOf(refTo("Query")) })] };
const SCALAR: Schema = { type: ["string", "number", "boolean"] };
const COUNT: Schema = { type: "integer", minimum: 0 };
const field = (description: string) => objectOf({ field: TEXT }, [], description);
const byField = (values: Schema, description: string) => ({ ...freeMap(values, description), maxProperties: 1 });
const optional = (properties: Schemas, description?: string) =>
  objectOf(properties, Object.keys(properties), description);

const TEXT_QUERY: Schema = {
  anyOf: [
    SCALAR,
    optional({
      query: SCALAR,
      value: SCALAR,
      operator: { type: "string", enum: ["and", "or", "AND", "OR"] },
      minimum_should_match: { type: ["string", "integer"] },
    }),
  ],
};
const RANGE = optional({
  gt: SCALAR,
  gte: SCALAR,
  lt: SCALAR,
  lte: SCALAR,
  format: TEXT,
  time_zone: { ...TEXT, description: "An IANA zone, or an offset such as `+02:00`." },
});
const WORDS = {
  ...optional({
    query: TEXT,
    fields: listOf(TEXT),
    default_operator: { type: "string", enum: ["and", "or", "AND", "OR"] },
  }),
  required: ["query"],
};
const CHILDREN = {
  ...optional({
    type: { const: "event" },
    query: refTo("Query"),
    min_children: COUNT,
    max_children: COUNT,
  }),
  required: ["query"],
};
const BOTH = optional({ query: refTo("Query"), filter: ONE_OR_MANY });

const CLAUSES: Schemas = {
  match_all: optional({ boost: { type: "number" } }, "Everything."),
  match_none: optional({ boost: { type: "number" } }, "Nothing."),
  bool: optional(
    {
      must: ONE_OR_MANY,
      filter: ONE_OR_MANY,
      should: ONE_OR_MANY,
      must_not: ONE_OR_MANY,
      minimum_should_match: { type: ["string", "integer"] },
    },
    "Combines clauses. One of `should` must match when there is no `must` and no `filter`.",
  ),
  and: FILTERS,
  or: FILTERS,
  not: { anyOf: [refTo("Query"), objectOf({ filter: refTo("Query") })] },
  constant_score: { ...BOTH, description: "Both must match; scores do not exist." },
  filtered: { ...BOTH, description: "Both must match." },
  term: byField({ anyOf: [SCALAR, optional({ value: SCALAR })] }, "A field has exactly this value."),
  terms: byField(listOf(SCALAR), "A field has one of these values."),
  ids: optional({ values: listOf(TEXT), type: TEXT }, "Objects with these ids."),
  range: byField(RANGE, "A number or date between limits. Dates take date math, such as `now-30d/d`."),
  exists: field("The field has a value."),
  missing: field("The field has no value."),
  prefix: byField(TEXT_QUERY, "The value, or a word of it, begins with this."),
  wildcard: byField(TEXT_QUERY, "`*` stands for any text, `?` for one character."),
  regexp: byField(TEXT_QUERY, "The whole value matches the regular expression."),
  match: byField(TEXT_QUERY, "The value has these words, in any order and case."),
  match_phrase: byField(TEXT_QUERY, "The value has these words, in this order."),
  match_phrase_prefix: byField(TEXT_QUERY, "The same; the last word may be the beginning of a word."),
  multi_match: {
    ...optional({
      query: TEXT,
      fields: listOf(TEXT),
      type: { type: "string", enum: ["best_fields", "most_fields", "cross_fields", "phrase", "phrase_prefix"] },
      operator: { type: "string", enum: ["and", "or", "AND", "OR"] },
    }),
    required: ["query", "fields"],
    description: "Words in any of several fields.",
  },
  query_string: { ...WORDS, description: "Plain words." },
  simple_query_string: { ...WORDS, description: "Plain words." },
  has_child: { ...CHILDREN, description: "Users with events that match, so many of them." },
  with_child: { ...CHILDREN, description: "The same as `has_child`." },
  has_parent: {
    ...optional({ parent_type: TEXT, type: TEXT, query: refTo("Query") }),
    required: ["query"],
    description: "Events of users who match.",
  },
  parent_id: optional({ id: TEXT, type: TEXT }, "Events of the user with this id."),
};

const ORDER: Schema = { type: "string", enum: ["asc", "desc"] };
const SORT_ENTRY: Schema = {
  anyOf: [
    TEXT,
    freeMap(
      { anyOf: [ORDER, optional({ order: ORDER, missing: { type: "string", enum: ["_first", "_last"] } })] },
      "Fields and their order.",
    ),
  ],
};

const PREDICATE_VALUE: Schema = {
  type: ["string", "number", "boolean", "array"],
  description: "`between` takes a pair, `in_last` a span such as `30d`.",
};
const PROPERTY_PREDICATE = objectOf(
  {
    property: objectOf(
      {
        key: TEXT,
        type: { type: "string", enum: ["string", "numeric", "date", "boolean", "array", "json"] },
        entity: { type: "string", enum: ["user", "account", "event"] },
      },
      ["type", "entity"],
    ),
    operator: { type: "string", enum: [...PROPERTY_OPERATORS] },
    options: optional({ value: PREDICATE_VALUE }),
  },
  ["options"],
  "Compares a property.",
);
const EVENT_PREDICATE = objectOf(
  {
    event: objectOf({ name: TEXT }),
    operator: { type: "string", enum: [...EVENT_OPERATORS] },
    count: { anyOf: [COUNT, listOf(COUNT)] },
    within: { type: ["string", "number"], description: "A span such as `30d`, or days." },
    where: listOf(PROPERTY_PREDICATE),
  },
  ["operator", "count", "within", "where"],
  "How often an event happened.",
);
const GROUP_PREDICATE = objectOf(
  { type: { type: "string", enum: ["all", "any", "none"] }, predicates: listOf(refTo("Predicate")) },
  [],
  "All of these, or any of them.",
);

const METRIC = field("A figure about the values of a field.");
const INTERVAL: Schema = { type: ["string", "number"], description: "A number, or a span such as `day` or `7d`." };
const AGGREGATION = optional(
  {
    filter: refTo("Query"),
    filters: objectOf({
      filters: { anyOf: [listOf(refTo("Query")), freeMap(refTo("Query"), "Queries by the key of their bucket.")] },
    }),
    terms: objectOf(
      { field: TEXT, size: COUNT, order: freeMap(ORDER, "`_count` or `_term`, and the order."), min_doc_count: COUNT },
      ["size", "order", "min_doc_count"],
    ),
    missing: METRIC,
    cardinality: METRIC,
    stats: METRIC,
    sum: METRIC,
    avg: METRIC,
    min: METRIC,
    max: METRIC,
    histogram: objectOf({ field: TEXT, interval: INTERVAL, min_doc_count: COUNT }, ["min_doc_count"]),
    date_histogram: objectOf({ field: TEXT, interval: INTERVAL, time_zone: TEXT, min_doc_count: COUNT }, [
      "time_zone",
      "min_doc_count",
    ]),
    range: objectOf({ field: TEXT, ranges: listOf(optional({ key: TEXT, from: SCALAR, to: SCALAR })) }),
    aggs: refTo("Aggregations"),
    aggregations: refTo("Aggregations"),
  },
  "One kind of figures, and figures for each of its buckets under `aggs`.",
);

const SEARCH_FIELDS: Schemas = {
  query: refTo("Query"),
  filter: { ...refTo("Query"), description: "A second query: both must match." },
  sort: refTo("Sort"),
  sorting: { ...refTo("Sort"), description: "The same as `sort`." },
  raw: { const: true, description: "Only the raw format is supported." },
  page: refTo("Count"),
  per_page: refTo("Count"),
  limit: { ...refTo("Count"), description: "The same as `per_page`." },
  include: refTo("FieldList"),
  fields: { ...refTo("FieldList"), description: "The same as `include`." },
  aggs: refTo("Aggregations"),
  aggregations: { ...refTo("Aggregations"), description: "The same as `aggs`." },
  search_after: refTo("SearchCursor"),
};

/** The query language, and what else a search takes and answers. */
export const QUERY_SCHEMAS: Schemas = {
  Query: {
    ...optional(CLAUSES),
    maxProperties: 1,
    additionalProperties: false,
    description:
      "One clause. `{}` matches everything. Fields are named as in reports; user attributes with or without `traits_`. `.raw`, `.exact` and `.keyword` compare the exact value, `account.<name>` is an attribute of the user's account, `properties.<name>` of an event.",
  },
  Sort: { anyOf: [SORT_ENTRY, listOf(SORT_ENTRY)], description: "Fields to sort by; missing values come last." },
  Count: {
    anyOf: [COUNT, { type: "string", pattern: "^[0-9]{1,9}$" }],
    description: "A whole number, which may be a text. `per_page` is at most 1,000, and 0 only counts.",
  },
  FieldList: {
    anyOf: [listOf(TEXT), TEXT],
    description: "Names of fields to answer, as a list or separated by commas; `*` stands for any text.",
  },
  SearchCursor: {
    type: ["array", "string", "object"],
    description: "`pagination.search_after` of the page before. Needed beyond 10,000 rows.",
  },
  JsonText: { type: "string", contentMediaType: "application/json", description: "JSON, as text." },
  Aggregations: freeMap(AGGREGATION, "Figures about all that matches, each under a name that the answer repeats."),
  AggregationResults: freeMap(
    {
      type: ["object", "number", "null"],
      description: "`doc_count`, `buckets`, or the figures of a metric.",
      additionalProperties: refTo("AttributeValue"),
    },
    "The figures, under the names of the request.",
  ),
  Search: { ...optional(SEARCH_FIELDS), description: "A search in which every parameter has a default." },
  Predicate: {
    anyOf: [GROUP_PREDICATE, PROPERTY_PREDICATE, EVENT_PREDICATE, { type: "object", additionalProperties: false }],
    description: "The form of a query that a builder can edit. `{}` when there is none.",
  },
};
