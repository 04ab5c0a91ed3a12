import type {
  EventPredicate,
  FieldType,
  GroupPredicate,
  Predicate,
  PropertyOperator,
  PropertyPredicate,
} from "@muster/query";
import type { FilterField, FilterSegment } from "./filter-schema.js";
import { OPERATORS, operatorsFor } from "./operators.js";

export const EVERYTHING: GroupPredicate = { type: "all", predicates: [] };

/** Groups that were added just now and have no clause yet: they are not counted. A stored empty group selects everything. */
const pending = new WeakSet<object>();

export function isGroup(predicate: Predicate): predicate is GroupPredicate {
  return "predicates" in predicate;
}

export function isEvent(predicate: Predicate): predicate is EventPredicate {
  return "event" in predicate;
}

/** The root of a filter. A predicate that is no group is shown as a group of one. */
export function asGroup(predicate: Predicate | Record<string, never>): GroupPredicate {
  if (Object.keys(predicate).length === 0) return EVERYTHING;
  // An empty object was the only other possibility.
  const given = predicate as Predicate;
  return isGroup(given) ? given : { type: "all", predicates: [given] };
}

export function newGroup(type: GroupPredicate["type"] = "any"): GroupPredicate {
  const group: GroupPredicate = { type, predicates: [] };
  pending.add(group);
  return group;
}

export function newPropertyClause(field: Pick<FilterField, "key" | "type" | "owner">): PropertyPredicate {
  const operator = operatorsFor(field.key, field.type)[0] ?? "is_set";
  return withOperator({ property: { key: field.key, type: field.type, entity: field.owner }, operator }, operator);
}

export function newSegmentClause({ id, owner }: FilterSegment): PropertyPredicate {
  return {
    property: { key: "segment_ids", type: "array", entity: owner },
    operator: "in_segment",
    options: { value: [id] },
  };
}

export function newEventClause(name: string): EventPredicate {
  return { event: { name }, operator: "at_least", count: 1, within: "30d" };
}

export function newCondition(name: string, type: FieldType | undefined): PropertyPredicate {
  const operator = operatorsFor(name, type)[0] ?? "is_set";
  return withOperator({ property: { key: name, ...(type ? { type } : {}), entity: "event" }, operator }, operator);
}

/** The clause with another operator. The value stays if the new operator takes such a value. */
export function withOperator(clause: PropertyPredicate, operator: PropertyOperator): PropertyPredicate {
  const { options, ...rest } = clause;
  const before = OPERATORS[clause.operator].value;
  const after = OPERATORS[operator].value;
  const value = convertValue(options?.value, before, after);
  return { ...rest, operator, ...(value === undefined ? {} : { options: { ...options, value } }) };
}

type Kind = (typeof OPERATORS)[PropertyOperator]["value"];

function convertValue(value: unknown, before: Kind, after: Kind): unknown {
  if (after === "none") return undefined;
  if (after === "span") return before === "span" && value !== undefined ? value : "30d";
  if (before === after) return value;
  if (before === "span" || before === "segments" || after === "segments") return undefined;
  const first = Array.isArray(value) ? (value as unknown[])[0] : value;
  if (after === "pair") return first === undefined ? undefined : [first, undefined];
  return first;
}

/** Whether a clause says enough to be asked. */
export function isComplete(predicate: Predicate): boolean {
  if (isGroup(predicate)) {
    return predicate.predicates.length === 0 ? !pending.has(predicate) : predicate.predicates.some(isComplete);
  }
  if (isEvent(predicate)) {
    const { count, operator } = predicate;
    if (predicate.event.name === "") return false;
    return operator === "between" ? isPair(count) : true;
  }
  const value = predicate.options?.value;
  switch (OPERATORS[predicate.operator].value) {
    case "none":
      return true;
    case "pair":
      return isPair(value);
    case "values":
    case "segments":
      return Array.isArray(value) ? value.length > 0 && value.every(isGiven) : isGiven(value);
    default:
      return isGiven(value);
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function isPair(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(isGiven);
}

/** How many clauses do not say enough yet. Conditions of events count too. */
export function countIncomplete(predicate: Predicate): number {
  if (isGroup(predicate) && predicate.predicates.length > 0) {
    return predicate.predicates.reduce((sum, inner) => sum + countIncomplete(inner), 0);
  }
  const conditions = isEvent(predicate) ? (predicate.where ?? []).filter((one) => !isComplete(one)).length : 0;
  return conditions + (isComplete(predicate) ? 0 : 1);
}

/** The filter without the clauses that do not say enough yet. The same object when all of them do. */
export function completePart(predicate: GroupPredicate): GroupPredicate {
  const kept = predicate.predicates.filter(isComplete).map((inner): Predicate => {
    if (isGroup(inner)) return completePart(inner);
    if (!isEvent(inner) || !inner.where || inner.where.every(isComplete)) return inner;
    const { where, ...rest } = inner;
    const complete = where.filter(isComplete);
    return complete.length === 0 ? rest : { ...rest, where: complete };
  });
  const isSame =
    kept.length === predicate.predicates.length && kept.every((one, at) => one === predicate.predicates[at]);
  return isSame ? predicate : { ...predicate, predicates: kept };
}
