import type { EventOperator, FieldType, GroupPredicate, PropertyOperator } from "@muster/query";

/** What a person enters for an operator. */
export type ValueKind = "none" | "value" | "values" | "text" | "pair" | "span" | "segments";

interface OperatorDescription {
  /** As it reads between the name and the value. */
  words: string;
  value: ValueKind;
}

export const OPERATORS: Readonly<Record<PropertyOperator, OperatorDescription>> = {
  equals: { words: "is", value: "values" },
  not_equals: { words: "is not", value: "values" },
  contains: { words: "contains", value: "text" },
  not_contains: { words: "does not contain", value: "text" },
  begins_with: { words: "begins with", value: "text" },
  ends_with: { words: "ends with", value: "text" },
  less_than: { words: "is less than", value: "value" },
  at_most: { words: "is at most", value: "value" },
  greater_than: { words: "is more than", value: "value" },
  at_least: { words: "is at least", value: "value" },
  between: { words: "is between", value: "pair" },
  is_set: { words: "is known", value: "none" },
  is_not_set: { words: "is unknown", value: "none" },
  in_last: { words: "is in the last", value: "span" },
  not_in_last: { words: "is not in the last", value: "span" },
  in_next: { words: "is in the next", value: "span" },
  not_in_next: { words: "is not in the next", value: "span" },
  before: { words: "is before", value: "value" },
  on_or_before: { words: "is on or before", value: "value" },
  after: { words: "is after", value: "value" },
  on_or_after: { words: "is on or after", value: "value" },
  is_true: { words: "is true", value: "none" },
  is_false: { words: "is false", value: "none" },
  in_segment: { words: "is in", value: "segments" },
  not_in_segment: { words: "is not in", value: "segments" },
};

const BY_TYPE: Readonly<Record<FieldType, readonly PropertyOperator[]>> = {
  string: ["equals", "not_equals", "contains", "not_contains", "begins_with", "ends_with", "is_set", "is_not_set"],
  numeric: [
    "equals",
    "not_equals",
    "greater_than",
    "at_least",
    "less_than",
    "at_most",
    "between",
    "is_set",
    "is_not_set",
  ],
  date: [
    "in_last",
    "not_in_last",
    "in_next",
    "not_in_next",
    "before",
    "on_or_before",
    "after",
    "on_or_after",
    "between",
    "is_set",
    "is_not_set",
  ],
  boolean: ["is_true", "is_false", "is_set", "is_not_set"],
  array: ["contains", "not_contains", "equals", "not_equals", "is_set", "is_not_set"],
  json: ["is_set", "is_not_set"],
};

/** For a property of an event whose type is not known. */
const OF_UNKNOWN: readonly PropertyOperator[] = [
  ...BY_TYPE.string,
  "greater_than",
  "at_least",
  "less_than",
  "at_most",
  "between",
];

/** The operators to choose from. One that is in use is always among them, even if it does not suit the type. */
export function operatorsFor(
  key: string,
  type: FieldType | undefined,
  current?: PropertyOperator,
): readonly PropertyOperator[] {
  const suitable = isSegmentField(key)
    ? (["in_segment", "not_in_segment"] as const)
    : type === undefined
      ? OF_UNKNOWN
      : BY_TYPE[type];
  return current === undefined || suitable.includes(current) ? suitable : [...suitable, current];
}

export function isSegmentField(key: string): boolean {
  return key === "segment_ids" || key === "account.segment_ids";
}

interface EventOperatorDescription {
  words: string;
  count: "none" | "one" | "pair";
}

export const EVENT_OPERATORS: Readonly<Record<EventOperator, EventOperatorDescription>> = {
  at_least: { words: "at least", count: "one" },
  at_most: { words: "at most", count: "one" },
  equals: { words: "exactly", count: "one" },
  greater_than: { words: "more than", count: "one" },
  less_than: { words: "less than", count: "one" },
  between: { words: "between", count: "pair" },
  is_set: { words: "at any time", count: "none" },
  is_not_set: { words: "never", count: "none" },
};

export const GROUP_TYPES: Readonly<Record<GroupPredicate["type"], string>> = {
  all: "All of these",
  any: "Any of these",
  none: "None of these",
};
