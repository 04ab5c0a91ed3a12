import type { SubjectType } from "@muster/protocol";

/** Whom a bulk action is about: the chosen rows, or everybody that the list shows. */
export interface BulkSelection {
  target: SubjectType;
  query: Record<string, unknown>;
  /** Exactly how many. */
  count: number;
}
