import { LIMITS } from "../limits.js";
import { QueryError } from "../query-error.js";
import type { SortKey } from "../sort-key.js";

export interface Page {
  readonly sort: readonly SortKey[];
  readonly limit: number;
  /** Rows before the page. */
  readonly offset?: number;
  /** Continue after the row with this cursor instead of skipping rows from the start. */
  readonly searchAfter?: unknown;
}

/** A deep page costs as much as all rows before it, so beyond a limit only `search_after` is allowed. */
export function requireReachable({ limit, offset = 0, searchAfter }: Page): void {
  if (searchAfter === undefined && offset + limit > LIMITS.pageDepth) {
    throw new QueryError(
      "page",
      `expected a page within the first ${LIMITS.pageDepth} rows; go further with search_after`,
    );
  }
}
