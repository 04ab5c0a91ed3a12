import type { Field } from "./query.js";

/** One field to sort by; rows without a value come last unless asked otherwise. */
export interface SortKey {
  readonly path: string;
  readonly field: Field;
  readonly descending: boolean;
  readonly missingFirst: boolean;
}
