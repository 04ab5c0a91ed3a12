import type { SubjectTarget } from "../../api/use-subjects.js";

/** Whom a bulk action is about: the chosen rows, or everybody that the list shows. */
export interface BulkSelection {
  target: SubjectTarget;
  query: Record<string, unknown>;
  /** Exactly how many. */
  count: number;
}
