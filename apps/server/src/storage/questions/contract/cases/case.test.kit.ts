import type { Target } from "@muster/query";

/** What the case shows, the query, and the names of the selected rows in the order of their ids. */
export type Case = readonly [shows: string, query: unknown, names: string];

export interface CaseTable {
  readonly target: Target;
  readonly about: string;
  readonly cases: readonly Case[];
}
