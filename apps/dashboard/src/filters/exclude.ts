import { OPPOSITE_OPERATORS } from "@muster/protocol/api/predicate-words";
import type { Predicate } from "@muster/query";
import { isEvent, isGroup, newGroup } from "./clauses.js";

/** The clause that leaves out those whom a new clause would select. */
export function excluding(clause: Predicate): Predicate {
  if (isGroup(clause)) return newGroup("none");
  if (isEvent(clause)) {
    const { count: _often, ...rest } = clause;
    return { ...rest, operator: "is_not_set" };
  }
  const operator = OPPOSITE_OPERATORS[clause.operator];
  return operator ? { ...clause, operator } : { type: "none", predicates: [clause] };
}
