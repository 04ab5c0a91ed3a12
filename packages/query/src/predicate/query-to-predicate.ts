import { OPPOSITE_OPERATORS } from "@muster/protocol/api/predicate-words";
import type { Bound, Field, HasEventsQuery, Query, RangeQuery, TermsQuery, WildcardQuery } from "../query.js";
import { type AttributeTypes, type FieldType, resolveField, STANDARD_FIELDS, type Target } from "../target.js";
import type {
  EventOperator,
  EventPredicate,
  GroupPredicate,
  Predicate,
  PropertyOperator,
  PropertyPredicate,
} from "./predicate.js";
import { spanAfter, spanBefore } from "./span.js";

export interface ToPredicateOptions {
  readonly target: Target;
  readonly attributeTypes: AttributeTypes;
}

/** The predicate that means the same as a query, or undefined when the builder cannot show the query. */
export function queryToPredicate(query: Query, options: ToPredicateOptions): GroupPredicate | undefined {
  const predicate = toPredicate(query, options);
  return predicate === undefined || "predicates" in predicate ? predicate : { type: "all", predicates: [predicate] };
}

function toPredicate(query: Query, options: ToPredicateOptions): Predicate | undefined {
  switch (query.kind) {
    case "all":
      return { type: "all", predicates: [] };
    case "bool":
      return group(query, options);
    case "has_events":
      return eventPredicate(query, options);
    case "range": {
      const [only, ...others] = rangePredicates(query, options);
      return others.length === 0 ? only : allOf([only, ...others]);
    }
    default:
      return propertyPredicate(query, options);
  }
}

function allOf(predicates: readonly (Predicate | undefined)[]): GroupPredicate | undefined {
  return isComplete(predicates) ? { type: "all", predicates } : undefined;
}

function group(query: Extract<Query, { kind: "bool" }>, options: ToPredicateOptions): Predicate | undefined {
  const { must, should, mustNot, minimum } = query;
  const needsSome = minimum > 0;
  // The builder has "any" and "all", but not "two of three".
  if (needsSome && minimum !== 1 && minimum !== should.length) return undefined;
  const choices = needsSome ? should.map((clause) => inner(clause, options)) : [];
  const required = [
    ...must.flatMap((clause) =>
      clause.kind === "range" ? rangePredicates(clause, options) : [inner(clause, options)],
    ),
    ...mustNot.map((clause) => negated(clause, options)),
  ];
  if (!isComplete(choices) || !isComplete(required) || (needsSome && choices.length === 0)) return undefined;
  if (minimum !== 1 || choices.length === 1) return { type: "all", predicates: [...required, ...choices] };
  const any: GroupPredicate = { type: "any", predicates: choices };
  return required.length === 0 ? any : { type: "all", predicates: [...required, any] };
}

/** A group with one predicate is replaced by that predicate. */
function inner(query: Query, options: ToPredicateOptions): Predicate | undefined {
  const predicate = toPredicate(query, options);
  const [only, ...others] = predicate && "predicates" in predicate ? predicate.predicates : [];
  return only !== undefined && others.length === 0 ? only : predicate;
}

function isComplete<Item>(items: readonly (Item | undefined)[]): items is readonly Item[] {
  return items.every((item) => item !== undefined);
}

function negated(query: Query, options: ToPredicateOptions): Predicate | undefined {
  if (query.kind === "has_events") {
    const never: HasEventsQuery = { ...query, min: 0, max: query.min - 1 };
    if (query.min > 0 && query.max === undefined) return eventPredicate(never, options);
  }
  const predicate = inner(query, options);
  const operator = predicate && "property" in predicate ? OPPOSITE_OPERATORS[predicate.operator] : undefined;
  if (predicate && "property" in predicate && operator) return { ...predicate, operator };
  // An empty group selects everything, and so would its negation.
  if (!predicate || ("predicates" in predicate && predicate.predicates.length === 0)) return undefined;
  return { type: "none", predicates: [predicate] };
}

function propertyPredicate(query: Query, options: ToPredicateOptions): PropertyPredicate | undefined {
  switch (query.kind) {
    case "terms":
      return termsPredicate(query, options);
    case "range":
      return rangePredicate(query, options);
    case "exists":
      return { property: propertyOf(query.field, options), operator: "is_set" };
    case "wildcard":
      return wildcardPredicate(query, options);
    default:
      return undefined;
  }
}

function termsPredicate(query: TermsQuery, options: ToPredicateOptions): PropertyPredicate {
  const property = propertyOf(query.field, options);
  const [first] = query.values;
  if (query.field.key === "segment_ids") return { property, operator: "in_segment", options: { value: query.values } };
  const value = query.values.length === 1 ? first : query.values;
  const isBoolean = property.type === "boolean" || typeof value === "boolean";
  if (isBoolean && String(value) === "true") return { property, operator: "is_true" };
  if (isBoolean && String(value) === "false") return { property, operator: "is_false" };
  return { property, operator: "equals", options: { value } };
}

/** One predicate, or one for each bound when no operator has both and the field has a single value. */
function rangePredicates(query: RangeQuery, options: ToPredicateOptions): (PropertyPredicate | undefined)[] {
  const whole = rangePredicate(query, options);
  const type = typeOf(query.field, options.attributeTypes);
  if (whole !== undefined || (type !== "date" && type !== "numeric")) return [whole];
  return boundsOf(query).map(([side, value]) => rangePredicate({ ...query, bounds: { [side]: value } }, options));
}

function rangePredicate(query: RangeQuery, options: ToPredicateOptions): PropertyPredicate | undefined {
  if (query.format !== undefined || query.timeZone !== undefined) return undefined;
  const property = propertyOf(query.field, options);
  const [[side, value] = [], ...others] = boundsOf(query);
  if (side === undefined) return undefined;
  if (others.length === 0) {
    return {
      property,
      operator: BOUND_OPERATORS[side][property.type === "date" ? "date" : "other"],
      options: { value },
    };
  }
  const { gte, lte } = query.bounds;
  if (gte === undefined || lte === undefined) return undefined;
  const [last, next] = [lte === "now" ? spanBefore(gte) : undefined, gte === "now" ? spanAfter(lte) : undefined];
  if (last !== undefined) return { property, operator: "in_last", options: { value: last } };
  if (next !== undefined) return { property, operator: "in_next", options: { value: next } };
  return { property, operator: "between", options: { value: [gte, lte] } };
}

const BOUND_OPERATORS: Readonly<Record<Bound, Readonly<Record<"date" | "other", PropertyOperator>>>> = {
  gt: { date: "after", other: "greater_than" },
  gte: { date: "on_or_after", other: "at_least" },
  lt: { date: "before", other: "less_than" },
  lte: { date: "on_or_before", other: "at_most" },
};

function boundsOf({ bounds }: RangeQuery) {
  // `Object.entries` forgets that the keys are bounds.
  return Object.entries(bounds) as [Bound, string | number][];
}

/** Only patterns of plain text with a star at the start, at the end or at both, on a field that ignores case. */
function wildcardPredicate(query: WildcardQuery, options: ToPredicateOptions): PropertyPredicate | undefined {
  const [, before, text = "", after] = /^(\*?)((?:[^*?\\]|\\[*?\\])+)(\*?)$/s.exec(query.pattern) ?? [];
  const property = propertyOf(query.field, options);
  // On an array the builder's "contains" means a whole element.
  if (query.field.exact || text === "" || (before && after && property.type === "array")) return undefined;
  const operator = before ? (after ? "contains" : "ends_with") : after ? "begins_with" : undefined;
  return operator && { property, operator, options: { value: text.replace(/\\(.)/gs, "$1") } };
}

function eventPredicate(query: HasEventsQuery, options: ToPredicateOptions): EventPredicate | undefined {
  const clauses = query.query.kind === "bool" ? conjunction(query.query) : [query.query];
  const named = clauses?.find(
    (clause) => clause.kind === "terms" && clause.field.key === "event" && clause.values.length === 1,
  );
  if (clauses === undefined || named?.kind !== "terms") return undefined;
  const window = clauses.find((clause) => windowOf(clause) !== undefined);
  const where = clauses
    .filter((clause) => clause !== named && clause !== window)
    .map((clause) =>
      clause.kind === "bool"
        ? soleNegation(clause, options)
        : propertyPredicate(clause, { ...options, target: "event" }),
    );
  if (!isComplete(where)) return undefined;
  return {
    event: { name: String(named.values[0]) },
    ...countOf(query),
    ...(window && { within: windowOf(window) }),
    ...(where.length > 0 && { where }),
  };
}

function conjunction(query: Extract<Query, { kind: "bool" }>): readonly Query[] | undefined {
  return query.minimum === 0 && query.mustNot.length === 0 ? query.must : undefined;
}

/** A `must_not` of one property inside an event. */
function soleNegation(
  query: Extract<Query, { kind: "bool" }>,
  options: ToPredicateOptions,
): PropertyPredicate | undefined {
  const [clause, ...others] = query.mustNot;
  if (clause === undefined || others.length + query.must.length + query.minimum > 0) return undefined;
  const predicate = negated(clause, { ...options, target: "event" });
  return predicate && "property" in predicate ? predicate : undefined;
}

function windowOf(query: Query): string | undefined {
  if (query.kind !== "range" || query.field.key !== "created_at" || query.timeZone !== undefined) return undefined;
  return Object.keys(query.bounds).join() === "gte" ? spanBefore(query.bounds.gte) : undefined;
}

function countOf({ min, max }: HasEventsQuery): { operator: EventOperator; count?: number | [number, number] } {
  if (max === undefined) return { operator: "at_least", count: min };
  if (max === 0) return { operator: "is_not_set" };
  if (min === 0) return { operator: "at_most", count: max };
  return min === max ? { operator: "equals", count: min } : { operator: "between", count: [min, max] };
}

function propertyOf(field: Field, options: ToPredicateOptions): PropertyPredicate["property"] {
  const type = typeOf(field, options.attributeTypes);
  return { key: field.key, ...(type && { type }), entity: field.target };
}

function typeOf(field: Field, attributeTypes: AttributeTypes): FieldType | undefined {
  if (field.target !== "event") return resolveField(attributeTypes, field.target, field.key)?.type;
  return Object.hasOwn(STANDARD_FIELDS.event, field.key) ? STANDARD_FIELDS.event[field.key] : undefined;
}
