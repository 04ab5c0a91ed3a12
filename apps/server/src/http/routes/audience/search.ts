import { type Brand, Refusal } from "@muster/protocol";
import { SEARCH_API } from "@muster/protocol/api/search";
import type { Target } from "@muster/query";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Search, SearchRequest } from "../../../audience/search/search.js";
import { abortOnDisconnect } from "../../abort-on-disconnect.js";
import type { App } from "../../app-type.js";
import { INCOMPLETE } from "../../hooks/incomplete-answers.js";
import { readSearchQueryString } from "./read-search-query-string.js";

export const MAX_PER_PAGE = 1_000;

export interface SearchRoutesOptions {
  search: Search;
  brand: Brand;
}

/** The paths for each target. The singular path requires every parameter, the plural path has defaults. */
const PATHS = [
  { target: "user", singular: "user_report", plural: "user_reports" },
  { target: "account", singular: "account_report", plural: "account_reports" },
  { target: "event", singular: "event", plural: "events" },
] as const satisfies { target: Target; singular: string; plural: string }[];

/** Routes that search users, accounts and events. */
export function searchRoutes(app: App, { search, brand }: SearchRoutesOptions): void {
  for (const { target, singular, plural } of PATHS) {
    const answer = async ({ caller }: FastifyRequest, reply: FastifyReply, given: Record<string, unknown>) => {
      const request = { ...readRequest(given), signal: abortOnDisconnect(reply) };
      const found = await search.find(caller.organization.id, target, request);
      if (!found.isComplete) reply.header(brand.headers.incomplete, "true");
      return found.answer;
    };

    app.post(
      `/search/${singular}`,
      {
        config: { access: "connector", reads: true },
        schema: {
          tags: ["search"],
          summary: `Search ${target}s`,
          description: INCOMPLETE,
          ...SEARCH_API[`POST /api/v1/search/${singular}`],
        },
      },
      (request, reply) => answer(request, reply, request.body as Record<string, unknown>),
    );

    app.route({
      method: ["POST"],
      url: `/search/${plural}`,
      config: { access: "connector", reads: true },
      schema: {
        tags: ["search"],
        summary: `Search ${target}s; every parameter has a default`,
        description: INCOMPLETE,
        ...SEARCH_API[`POST /api/v1/search/${plural}`],
      },
      handler: (request, reply) => answer(request, reply, (request.body ?? {}) as Record<string, unknown>),
    });

    app.get(
      `/search/${plural}`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["search"],
          summary: `Search ${target}s; parameters are in the query string, objects as JSON or in brackets`,
          description: INCOMPLETE,
          ...SEARCH_API[`GET /api/v1/search/${plural}`],
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
