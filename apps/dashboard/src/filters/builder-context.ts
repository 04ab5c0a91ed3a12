import type { Predicate } from "@muster/query";
import type { FilterSchema, FilterTarget } from "./filter-schema.js";

/** What every part of a builder needs to know. */
export interface BuilderContext {
  target: FilterTarget;
  schema: FilterSchema;
  isReadOnly: boolean;
  /** How many are left after a clause of the outermost group; undefined while that is not known. */
  leftAfter?: ((clause: Predicate) => number | undefined) | undefined;
}
