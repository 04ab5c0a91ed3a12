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
  "at_most",
  "greater_than",
  "at_least",
  "between",
  "is_set",
  "is_not_set",
  "in_last",
  "not_in_last",
  "in_next",
  "not_in_next",
  "before",
  "on_or_before",
  "after",
  "on_or_after",
  "is_true",
  "is_false",
  "in_segment",
  "not_in_segment",
] as const;

/** The operators that select exactly those whom the other one leaves out. */
export const OPPOSITE_OPERATORS: Readonly<
  Partial<Record<(typeof PROPERTY_OPERATORS)[number], (typeof PROPERTY_OPERATORS)[number]>>
> = {
  equals: "not_equals",
  not_equals: "equals",
  contains: "not_contains",
  not_contains: "contains",
  is_set: "is_not_set",
  is_not_set: "is_set",
  in_last: "not_in_last",
  not_in_last: "in_last",
  in_next: "not_in_next",
  not_in_next: "in_next",
  in_segment: "not_in_segment",
  not_in_segment: "in_segment",
};

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
