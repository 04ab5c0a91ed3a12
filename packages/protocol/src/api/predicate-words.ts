// Lists without schemas, which the query language needs too.

export const GROUP_TYPES = ["all", "any", "none"] as const;

export const PROPERTY_OPERATORS = [
  "equals",
  "not_equals",
  "contains",
  "not_contains",
  "begins_with",
  "ends_with",
  "less_than",
  "greater_than",
  "between",
  "is_set",
  "is_not_set",
  "in_last",
  "not_in_last",
  "before",
  "after",
  "is_true",
  "is_false",
  "in_segment",
  "not_in_segment",
] as const;

export const EVENT_OPERATORS = [
  "at_least",
  "at_most",
  "equals",
  "greater_than",
  "less_than",
  "between",
  "is_set",
  "is_not_set",
] as const;
