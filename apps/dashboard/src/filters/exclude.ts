import type { Predicate, PropertyOperator } from "@muster/query";
import { isEvent, isGroup, newGroup } from "./clauses.js";

/** The operator that means the opposite. */
const OPPOSITES: Readonly<Partial<Record<PropertyOperator, PropertyOperator>>> = {
  equals: "not_equals",
  contains: "not_contains",
  is_set: "is_not_set",
  in_last: "not_in_last",
  is_true: "is_false",
  in_segment: "not_in_segment",
};

/** The clause that leaves out those whom a new clause would select. */
export function excluding(clause: Predicate): Predicate {
  if (isGroup(clause)) return newGroup("none");
  if (isEvent(clause)) {
    const { count: _often, ...rest } = clause;
    return { ...rest, operator: "is_not_set" };
  }
  const operator = OPPOSITES[clause.operator];
  return operator ? { ...clause, operator } : { type: "none", predicates: [clause] };
}
