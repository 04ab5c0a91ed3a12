import type { FilterSchema, FilterTarget } from "./filter-schema.js";

/** What every part of a builder needs to know. */
export interface BuilderContext {
  target: FilterTarget;
  schema: FilterSchema;
  isReadOnly: boolean;
}
