import { type Static, type TSchema, Type } from "typebox";
import { SearchedEvent } from "./events.js";
import { Predicate } from "./predicates.js";
import { Aggregations, Query, Sort } from "./queries.js";
import { anyObjectAs, anyValueAs, checkedOnlyAs, type JsonObject, mapOf, withDefault } from "./schema.js";
import { AccountReport, UserReport } from "./subjects.js";
import { AttributeValue } from "./values.js";

export const Count = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: "^[0-9]{1,9}$" })], {
  component: "Count",
  description: "A whole number, which may be a text. `per_page` is at most 1,000, and 0 only counts.",
});

const FieldList = Type.Union([Type.Array(Type.String()), Type.String()], {
  component: "FieldList",
  description: "Names of fields to answer, as a list or separated by commas; `*` stands for any text.",
});

/** Where a page ends. Clients give it back as they got it, so its type says nothing. */
export const SearchCursor = Type.Unsafe<unknown>({
  type: ["array", "string", "object"],
  description: "`pagination.search_after` of the page before. Needed beyond 10,000 rows.",
  component: "SearchCursor",
});

const JsonText = Type.Unsafe<string>({
  type: "string",
  contentMediaType: "application/json",
  description: "JSON, as text.",
  component: "JsonText",
});

const AggregationResults = Type.Unsafe<JsonObject>({
  ...mapOf(
    Type.Unsafe<unknown>({
      type: ["object", "number", "null"],
      description: "`doc_count`, `buckets`, or the figures of a metric.",
      additionalProperties: AttributeValue,
    }),
    "The figures, under the names of the request.",
  ),
  component: "AggregationResults",
});

/** Parameters that a search may have, and that the search itself checks. */
const MORE = {
  filter: Type.Optional(anyValueAs(Query, { description: "A second query: both must match." })),
  include: Type.Optional(anyValueAs(FieldList)),
  fields: Type.Optional(anyValueAs(FieldList, { description: "The same as `include`." })),
  aggs: Type.Optional(anyValueAs(Aggregations)),
  aggregations: Type.Optional(anyValueAs(Aggregations, { description: "The same as `aggs`." })),
  search_after: Type.Optional(anyValueAs(SearchCursor)),
};

const GivenSort = checkedOnlyAs(
  Type.Union([Type.Object({}, { additionalProperties: true }), Type.Array(Type.Unknown())]),
  Sort,
);

/** The body of the paths in the singular: they require every parameter. */
function wholeSearch<Name extends "sort" | "sorting">(sortName: Name) {
  const sorting = { [sortName]: GivenSort } as Record<Name, typeof GivenSort>;
  return Type.Object(
    {
      query: anyObjectAs(Query),
      ...sorting,
      raw: Type.Literal(true, { description: "Only the raw format is supported." }),
      page: Count,
      per_page: Count,
      ...MORE,
    },
    { additionalProperties: true },
  );
}

export const Search = Type.Object(
  {
    query: Type.Optional(Query),
    filter: MORE.filter,
    sort: Type.Optional(Sort),
    sorting: Type.Optional(anyValueAs(Sort, { description: "The same as `sort`." })),
    raw: Type.Optional(Type.Literal(true, { description: "Only the raw format is supported." })),
    page: Type.Optional(Count),
    per_page: Type.Optional(Count),
    limit: Type.Optional(anyValueAs(Count, { description: "The same as `per_page`." })),
    include: MORE.include,
    fields: MORE.fields,
    aggs: MORE.aggs,
    aggregations: MORE.aggregations,
    search_after: MORE.search_after,
  },
  { component: "Search", description: "A search in which every parameter has a default." },
);
export type Search = Static<typeof Search>;

const json = (description: string) => Type.Optional(anyValueAs(JsonText, { description }));

const SearchQueryString = Type.Object(
  {
    query: json("A query, as JSON. Default: everything."),
    filter: json("A second query, as JSON: both must match."),
    sort: json('The order, as JSON. Default: `{"created_at": "desc"}`.'),
    sorting: json("The same as `sort`."),
    page: Type.Optional(anyValueAs(Count, { description: "Default: 1." })),
    per_page: Type.Optional(anyValueAs(Count, { description: "Default: 30. At most 1,000; 0 only counts." })),
    limit: Type.Optional(anyValueAs(Count, { description: "The same as `per_page`." })),
    include: Type.Optional(anyValueAs(FieldList, { description: "Names of fields, separated by commas." })),
    fields: Type.Optional(anyValueAs(FieldList, { description: "The same as `include`." })),
    aggs: json("Aggregations, as JSON."),
    aggregations: json("The same as `aggs`."),
    search_after: json("`pagination.search_after` of the page before, as JSON."),
    raw: Type.Optional(Type.Boolean({ description: "Only `true` is supported." })),
  },
  { additionalProperties: true },
);

function answerWith<Row extends TSchema>(row: Row) {
  return Type.Object({
    data: Type.Array(anyObjectAs(row)),
    pagination: Type.Object(
      {
        total: Type.Integer({ description: "How many match." }),
        pages: Type.Integer(),
        page: Type.Integer(),
        per_page: Type.Integer(),
        search_after: Type.Optional(anyValueAs(SearchCursor)),
      },
      { additionalProperties: true },
    ),
    aggregations: anyObjectAs(AggregationResults),
  });
}

const users = { 200: answerWith(UserReport) };
const accounts = { 200: answerWith(AccountReport) };
const events = { 200: answerWith(SearchedEvent) };

export type SearchAnswer = Static<(typeof users)[200]>;

export const SubjectSearchAnswer = Type.Object({
  data: Type.Array(anyObjectAs(UserReport, { description: "The report of a user, or of an account." })),
  total: Type.Integer({ description: "How many match, exactly." }),
  search_after: Type.Optional(anyValueAs(SearchCursor)),
  query: anyObjectAs(Query, { description: "The same selection as a query, for extracts, exports and segments." }),
});
export type SubjectSearchAnswer = Static<typeof SubjectSearchAnswer>;

const someSearch = Type.Optional(anyObjectAs(Search));

export const SEARCH_API = {
  "POST /api/v1/search/user_report": { body: wholeSearch("sort"), response: users },
  "POST /api/v1/search/user_reports": { body: someSearch, response: users },
  "GET /api/v1/search/user_reports": { querystring: SearchQueryString, response: users },
  "POST /api/v1/search/account_report": { body: wholeSearch("sort"), response: accounts },
  "POST /api/v1/search/account_reports": { body: someSearch, response: accounts },
  "GET /api/v1/search/account_reports": { querystring: SearchQueryString, response: accounts },
  "POST /api/v1/search/event": { body: wholeSearch("sorting"), response: events },
  "POST /api/v1/search/events": { body: someSearch, response: events },
  "GET /api/v1/search/events": { querystring: SearchQueryString, response: events },
  "POST /api/v1/search/subjects": {
    body: Type.Object({
      target: withDefault("user", Type.Enum(["user", "account"])),
      text: withDefault(
        "",
        Type.String({
          maxLength: 400,
          description:
            "An e-mail address, an id, an external id, an anonymous id, a domain, or beginnings of words of a name. Those that an identifier names come first.",
        }),
      ),
      predicate: Type.Optional(anyObjectAs(Predicate, { description: "A filter: it must match too." })),
      query: Type.Optional(anyObjectAs(Query, { description: "A further filter: it must match too." })),
      sort: Type.Optional(anyValueAs(Sort)),
      per_page: withDefault(50, Type.Integer({ minimum: 0, maximum: 1_000 })),
      search_after: Type.Optional(anyValueAs(SearchCursor, { description: "`search_after` of the page before." })),
      include: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
          maxItems: 300,
          description: "Only these fields; `*` stands for any characters.",
        }),
      ),
    }),
    response: { 200: SubjectSearchAnswer },
  },
};
