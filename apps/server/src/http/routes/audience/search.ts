import { type Brand, Refusal } from "@muster/protocol";
import type { Target } from "@muster/query";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Search, SearchRequest } from "../../../audience/search.js";
import { abortOnDisconnect } from "../../abort-on-disconnect.js";
import type { App } from "../../app-type.js";
import { INCOMPLETE } from "../../hooks/incomplete-answers.js";
import { anyObjectAs, anyValueAs } from "../../reference/named-schema.js";
import { readSearchQueryString } from "./read-search-query-string.js";

const Count = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: "^[0-9]{1,9}$" })], {
  documentedAs: "Count",
});

const answerWith = (row: string) =>
  Type.Object({
    data: Type.Array(anyObjectAs(row)),
    pagination: Type.Object(
      {
        total: Type.Integer({ description: "How many match." }),
        pages: Type.Integer(),
        page: Type.Integer(),
        per_page: Type.Integer(),
        search_after: Type.Optional(anyValueAs("SearchCursor")),
      },
      { additionalProperties: true },
    ),
    aggregations: anyObjectAs("AggregationResults"),
  });

/** Parameters that a search may have, and that the search itself checks. */
const MORE = {
  filter: Type.Optional(anyValueAs("Query", { description: "A second query: both must match." })),
  include: Type.Optional(anyValueAs("FieldList")),
  fields: Type.Optional(anyValueAs("FieldList", { description: "The same as `include`." })),
  aggs: Type.Optional(anyValueAs("Aggregations")),
  aggregations: Type.Optional(anyValueAs("Aggregations", { description: "The same as `aggs`." })),
  search_after: Type.Optional(anyValueAs("SearchCursor")),
};

const json = (description: string) => Type.Optional(anyValueAs("JsonText", { description }));
const QueryString = Type.Object(
  {
    query: json("A query, as JSON. Default: everything."),
    filter: json("A second query, as JSON: both must match."),
    sort: json('The order, as JSON. Default: `{"created_at": "desc"}`.'),
    sorting: json("The same as `sort`."),
    page: Type.Optional(anyValueAs("Count", { description: "Default: 1." })),
    per_page: Type.Optional(anyValueAs("Count", { description: "Default: 30. At most 1,000; 0 only counts." })),
    limit: Type.Optional(anyValueAs("Count", { description: "The same as `per_page`." })),
    include: Type.Optional(anyValueAs("FieldList", { description: "Names of fields, separated by commas." })),
    fields: Type.Optional(anyValueAs("FieldList", { description: "The same as `include`." })),
    aggs: json("Aggregations, as JSON."),
    aggregations: json("The same as `aggs`."),
    search_after: json("`pagination.search_after` of the page before, as JSON."),
    raw: Type.Optional(Type.Boolean({ description: "Only `true` is supported." })),
  },
  { additionalProperties: true },
);

export const MAX_PER_PAGE = 1_000;

export interface SearchRoutesOptions {
  search: Search;
  brand: Brand;
}

/** The paths for each target. The singular path requires every parameter, the plural path has defaults. */
const PATHS: { target: Target; row: string; singular: string; plural: string; sortName: "sort" | "sorting" }[] = [
  {
    target: "user",
    row: "UserReport",
    singular: "/search/user_report",
    plural: "/search/user_reports",
    sortName: "sort",
  },
  {
    target: "account",
    row: "AccountReport",
    singular: "/search/account_report",
    plural: "/search/account_reports",
    sortName: "sort",
  },
  { target: "event", row: "SearchedEvent", singular: "/search/event", plural: "/search/events", sortName: "sorting" },
];

/** Routes that search users, accounts and events. */
export function searchRoutes(app: App, { search, brand }: SearchRoutesOptions): void {
  for (const { target, row, singular, plural, sortName } of PATHS) {
    const response = { 200: answerWith(row) };
    const answer = async ({ caller }: FastifyRequest, reply: FastifyReply, given: Record<string, unknown>) => {
      const request = { ...readRequest(given), signal: abortOnDisconnect(reply) };
      const found = await search.find(caller.organization.id, target, request);
      if (!found.isComplete) reply.header(brand.headers.incomplete, "true");
      return found.answer;
    };

    app.post(
      singular,
      {
        config: { access: "connector", reads: true },
        schema: {
          tags: ["search"],
          summary: `Search ${target}s`,
          description: INCOMPLETE,
          body: Type.Object(
            {
              query: anyObjectAs("Query"),
              [sortName]: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Array(Type.Unknown())], {
                documentedAs: "Sort",
              }),
              raw: Type.Literal(true, { description: "Only the raw format is supported." }),
              page: Count,
              per_page: Count,
              ...MORE,
            },
            { additionalProperties: true },
          ),
          response,
        },
      },
      (request, reply) => answer(request, reply, request.body as Record<string, unknown>),
    );

    app.route({
      method: ["POST"],
      url: plural,
      config: { access: "connector", reads: true },
      schema: {
        tags: ["search"],
        summary: `Search ${target}s; every parameter has a default`,
        description: INCOMPLETE,
        body: Type.Optional(anyObjectAs("Search")),
        response,
      },
      handler: (request, reply) => answer(request, reply, (request.body ?? {}) as Record<string, unknown>),
    });

    app.get(
      plural,
      {
        config: { access: "connector" },
        schema: {
          tags: ["search"],
          summary: `Search ${target}s; parameters are in the query string, objects as JSON or in brackets`,
          description: INCOMPLETE,
          querystring: QueryString,
          response,
        },
      },
      (request, reply) => answer(request, reply, readSearchQueryString(request.url)),
    );
  }
}

function readRequest(given: Record<string, unknown>): SearchRequest {
  const { query, filter, sort, sorting, include, fields, aggs, aggregations, search_after: searchAfter } = given;
  if (given.raw !== undefined && given.raw !== true && given.raw !== "true") {
    throw new Refusal("invalid_parameter", "raw must be true: only the raw format is supported.");
  }
  const perPage = readCount(given.per_page ?? given.limit ?? 30, "per_page");
  if (perPage > MAX_PER_PAGE) {
    throw new Refusal("invalid_parameter", `per_page is at most ${MAX_PER_PAGE}, not ${perPage}.`, {
      details: [{ path: "body.per_page", message: `is at most ${MAX_PER_PAGE}` }],
    });
  }
  const wanted = include ?? fields;
  return {
    query: query ?? {},
    ...(filter === undefined ? {} : { filter }),
    sort: sort ?? sorting ?? { created_at: "desc" },
    page: Math.max(1, readCount(given.page ?? 1, "page")),
    perPage,
    ...(wanted === undefined ? {} : { include: readFields(wanted) }),
    ...((aggs ?? aggregations) === undefined ? {} : { aggregations: aggs ?? aggregations }),
    ...(searchAfter === undefined ? {} : { searchAfter }),
  };
}

function readCount(value: unknown, name: string): number {
  const count = Number(value);
  if (!Number.isSafeInteger(count) || count < 0 || value === "") {
    throw new Refusal("invalid_parameter", `${name} must be a whole number.`, {
      details: [{ path: `body.${name}`, message: "must be a whole number" }],
    });
  }
  return count;
}

function readFields(value: unknown): string[] {
  const fields = typeof value === "string" ? value.split(",") : value;
  if (Array.isArray(fields) && fields.every((field) => typeof field === "string")) return fields;
  throw new Refusal("invalid_parameter", "include must be a list of field names.", {
    details: [{ path: "body.include", message: "must be a list of field names" }],
  });
}
