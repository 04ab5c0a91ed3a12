import type { SearchAnswer } from "@muster/protocol/api/search";
import type { Api } from "../api.js";

export type SearchTarget = "users" | "accounts" | "events";
export type Found = Record<string, unknown>;

export interface SearchRequest {
  query: Record<string, unknown>;
  sort: Record<string, string>;
  limit: number;
  include?: string[];
}

interface SearchPage {
  total: number;
  rows: Found[];
  /** False while the question engine is being filled again. */
  isComplete: boolean;
}

const PATHS: Record<SearchTarget, string> = {
  users: "/search/user_reports",
  accounts: "/search/account_reports",
  events: "/search/events",
};
const LARGEST_PAGE = 1_000;

/** The pages of a search, up to the limit. Each begins after the last row of the one before, so any depth is possible. */
export async function* searchPages(
  api: Api,
  what: SearchTarget,
  { query, sort, limit, include }: SearchRequest,
): AsyncGenerator<SearchPage> {
  let left = limit;
  let after: unknown;
  do {
    const perPage = Math.min(left, LARGEST_PAGE);
    const { body, headers } = await api.request<SearchAnswer>("POST", PATHS[what], {
      query,
      sort,
      per_page: perPage,
      ...(include ? { include } : {}),
      ...(after === undefined ? {} : { search_after: after }),
    });
    yield {
      total: body.pagination.total,
      rows: body.data,
      isComplete: headers.get(api.brand.headers.incomplete) !== "true",
    };
    left -= body.data.length;
    after = body.data.length < perPage ? undefined : body.pagination.search_after;
  } while (left > 0 && after !== undefined);
}
