import { LIMITS } from "../limits.js";
import { QueryError } from "../query-error.js";
import type { SortKey } from "../sort-key.js";

export interface Page {
  readonly sort: readonly SortKey[];
  readonly limit: number;
  /** Rows before the page. */
  readonly offset?: number;
  /** Go on after the row whose cursor holds these values, instead of counting rows from the start. */
  readonly searchAfter?: unknown;
}

/** Deep pages cost as much as all the rows before them, so beyond a depth only `search_after` goes on. */
export function requireReachable({ limit, offset = 0, searchAfter }: Page): void {
  if (searchAfter === undefined && offset + limit > LIMITS.pageDepth) {
    throw new QueryError(
      "page",
      `expected a page within the first ${LIMITS.pageDepth} rows; go further with search_after`,
    );
  }
}
