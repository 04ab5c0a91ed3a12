import { EVENT_OPERATORS, GROUP_TYPES, PROPERTY_OPERATORS } from "@muster/protocol/api/predicate-words";
import type { FieldType } from "../target.js";

export { EVENT_OPERATORS, GROUP_TYPES, PROPERTY_OPERATORS };

/** The form of a query that the dashboard's builder edits. Every predicate is a query; not every query is a predicate. */
export type Predicate = GroupPredicate | PropertyPredicate | EventPredicate;

export type GroupPredicate = {
  /** How many of the predicates must hold. A group without predicates selects everything. */
  readonly type: (typeof GROUP_TYPES)[number];
  readonly predicates: readonly Predicate[];
};

export type PropertyOperator = (typeof PROPERTY_OPERATORS)[number];

export type PropertyPredicate = {
  readonly property: {
    readonly key: string;
    readonly type?: FieldType;
    /** The target that has the property, when it is not the search's target. */
    readonly entity?: "user" | "account" | "event";
  };
  readonly operator: PropertyOperator;
  /** `between` takes a pair; `equals` and the segment operators one value or a list; `in_last` and `in_next` a span such as `30d`, or days. */
  readonly options?: { readonly value?: unknown };
};

export type EventOperator = (typeof EVENT_OPERATORS)[number];

/** How often an event happened. `at_most` and `less_than` include never. */
export type EventPredicate = {
  readonly event: { readonly name: string };
  /** Default `at_least`. */
  readonly operator?: EventOperator;
  /** Default 1; a pair for `between`. */
  readonly count?: number | readonly [number, number];
  /** A span such as `30d`, or a number of days; without it, all time. */
  readonly within?: string | number;
  /** About the event's properties (or its own fields), all of which must hold. */
  readonly where?: readonly PropertyPredicate[];
};
