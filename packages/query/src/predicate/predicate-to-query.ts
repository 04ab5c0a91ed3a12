import { isObject } from "@muster/protocol";
import { LIMITS } from "../limits.js";
import {
  countAt,
  type JsonObject,
  listAt,
  objectAt,
  oneOf,
  refuseUnknown,
  scalarAt,
  stringAt,
} from "../parse/reader.js";
import type { Bound } from "../query.js";
import { QueryError } from "../query-error.js";
import { STANDARD_FIELDS, type Target } from "../target.js";
import { EVENT_OPERATORS, GROUP_TYPES, PROPERTY_OPERATORS, type PropertyOperator } from "./predicate.js";
import { windowEnd, windowStart } from "./span.js";

/** Query JSON, as `parse` takes it. */
type QueryJson = Readonly<Record<string, unknown>>;

interface Property {
  readonly name: string;
  readonly isArray: boolean;
  /** The value that the operator compares with, unchecked. */
  readonly value: unknown;
  readonly path: string;
}

export interface PredicateOptions {
  readonly target: Target;
  /** The place of the predicate in the request, for error messages. Default `predicate`. */
  readonly path?: string;
}

/**
 * Turns a predicate into the query that means the same. Predicates come from outside, so they are checked here.
 *
 * @throws QueryError
 */
export function predicateToQuery(predicate: unknown, options: PredicateOptions): QueryJson {
  return toQuery(predicate, options.path ?? "predicate", options.target, 1);
}

function toQuery(value: unknown, path: string, target: Target, depth: number): QueryJson {
  if (depth > LIMITS.depth) throw new QueryError(path, `expected groups at most ${LIMITS.depth} deep`);
  const input = objectAt(value, path);
  if ("predicates" in input) return groupQuery(input, path, target, depth);
  if ("property" in input) return propertyQuery(input, path, target);
  if ("event" in input) return eventQuery(input, path, target);
  if (Object.keys(input).length === 0) return { match_all: {} };
  throw new QueryError(path, "expected a group with predicates, a property or an event");
}

const BOOL_CLAUSES = { all: "must", any: "should", none: "must_not" } as const;

function groupQuery(input: JsonObject, path: string, target: Target, depth: number): QueryJson {
  refuseUnknown(input, path, ["type", "predicates"]);
  const type = oneOf(input.type, `${path}.type`, GROUP_TYPES);
  const queries = listAt(input.predicates, `${path}.predicates`).map((inner, index) =>
    toQuery(inner, `${path}.predicates.${index}`, target, depth + 1),
  );
  if (queries.length === 0) return { match_all: {} };
  return { bool: { [BOOL_CLAUSES[type]]: queries } };
}

function propertyQuery(input: JsonObject, path: string, target: Target): QueryJson {
  refuseUnknown(input, path, ["property", "operator", "options"]);
  const property = objectAt(input.property, `${path}.property`);
  const key = stringAt(property.key, `${path}.property.key`);
  const options = input.options === undefined ? {} : objectAt(input.options, `${path}.options`);
  refuseUnknown(options, `${path}.options`, ["value"]);
  const operator = oneOf(input.operator, `${path}.operator`, PROPERTY_OPERATORS);
  const name =
    property.entity === "account" && target !== "account" && !key.startsWith("account.") ? `account.${key}` : key;
  return OPERATORS[operator]({
    name,
    isArray: property.type === "array",
    value: options.value,
    path: `${path}.options.value`,
  });
}

const OPERATORS: Readonly<Record<PropertyOperator, (property: Property) => QueryJson>> = {
  equals: equalsQuery,
  not_equals: (property) => no(equalsQuery(property)),
  contains: containsQuery,
  not_contains: (property) => no(containsQuery(property)),
  begins_with: ({ name, value, path }) => ({ wildcard: { [name]: `${literal(value, path)}*` } }),
  ends_with: ({ name, value, path }) => ({ wildcard: { [name]: `*${literal(value, path)}` } }),
  less_than: (property) => boundQuery("lt", property),
  at_most: (property) => boundQuery("lte", property),
  greater_than: (property) => boundQuery("gt", property),
  at_least: (property) => boundQuery("gte", property),
  before: (property) => boundQuery("lt", property),
  on_or_before: (property) => boundQuery("lte", property),
  after: (property) => boundQuery("gt", property),
  on_or_after: (property) => boundQuery("gte", property),
  between: ({ name, value, path }) => {
    const [from, to, ...more] = listAt(value, path);
    if (more.length > 0) throw new QueryError(path, "expected a pair of values");
    return { range: { [name]: { gte: scalarAt(from, `${path}.0`), lte: scalarAt(to, `${path}.1`) } } };
  },
  is_set: ({ name }) => ({ exists: { field: name } }),
  is_not_set: ({ name }) => no({ exists: { field: name } }),
  in_last: inLastQuery,
  not_in_last: (property) => no(inLastQuery(property)),
  in_next: inNextQuery,
  not_in_next: (property) => no(inNextQuery(property)),
  is_true: ({ name }) => ({ term: { [name]: true } }),
  is_false: ({ name }) => ({ term: { [name]: false } }),
  in_segment: segmentQuery,
  not_in_segment: (property) => no(segmentQuery(property)),
};

function equalsQuery({ name, value, path }: Property): QueryJson {
  if (Array.isArray(value)) return { terms: { [name]: listAt(value, path) } };
  return { term: { [name]: scalarAt(value, path) } };
}

/** For an array: an element is equal. For a text: it contains the value, in upper or lower case. */
function containsQuery({ name, isArray, value, path }: Property): QueryJson {
  return isArray ? { term: { [name]: scalarAt(value, path) } } : { wildcard: { [name]: `*${literal(value, path)}*` } };
}

function inLastQuery({ name, value, path }: Property): QueryJson {
  return { range: { [name]: { gte: windowStart(value, path), lte: "now" } } };
}

function inNextQuery({ name, value, path }: Property): QueryJson {
  return { range: { [name]: { gte: "now", lte: windowEnd(value, path) } } };
}

function segmentQuery({ name, value, path }: Property): QueryJson {
  return { terms: { [name]: Array.isArray(value) ? listAt(value, path) : [stringAt(value, path)] } };
}

function boundQuery(side: Bound, { name, value, path }: Property): QueryJson {
  const bound = scalarAt(value, path);
  if (typeof bound === "boolean") throw new QueryError(path, "expected a number, a date or a string");
  return { range: { [name]: { [side]: bound } } };
}

function literal(value: unknown, path: string): string {
  return String(scalarAt(value, path)).replace(/[*?\\]/g, "\\$&");
}

function no(query: QueryJson): QueryJson {
  return { bool: { must_not: [query] } };
}

function eventQuery(input: JsonObject, path: string, target: Target): QueryJson {
  refuseUnknown(input, path, ["event", "operator", "count", "within", "where"]);
  if (target === "event") throw new QueryError(path, "a predicate about events cannot count events");
  const name = stringAt(objectAt(input.event, `${path}.event`).name, `${path}.event.name`);
  const where = input.where === undefined ? [] : listAt(input.where, `${path}.where`);
  const must: QueryJson[] = [{ term: { event: name } }];
  if (input.within !== undefined)
    must.push({ range: { created_at: { gte: windowStart(input.within, `${path}.within`) } } });
  for (const [index, condition] of where.entries()) must.push(eventProperty(condition, `${path}.where.${index}`));
  return { has_child: { type: "event", query: { bool: { must } }, ...countsOf(input, path) } };
}

/** The query about events that fulfil all conditions, which are those of a predicate about an event. @throws QueryError */
export function conditionsToQuery(conditions: readonly unknown[], path: string): QueryJson {
  return { bool: { must: conditions.map((condition, index) => eventProperty(condition, `${path}.${index}`)) } };
}

/** A name without a prefix is a property of the event, unless it is a standard field of events. */
function eventProperty(value: unknown, path: string): QueryJson {
  const input = objectAt(value, path);
  if (!isObject(input.property)) throw new QueryError(path, "expected a property");
  const key = stringAt(input.property.key, `${path}.property.key`);
  const isOwn = Object.hasOwn(STANDARD_FIELDS.event, key) || /^(?:properties|props|context)\./.test(key);
  return propertyQuery(
    { ...input, property: { ...input.property, key: isOwn ? key : `properties.${key}` } },
    path,
    "event",
  );
}

function countsOf(input: JsonObject, path: string): { min_children: number; max_children?: number } {
  const operator =
    input.operator === undefined ? "at_least" : oneOf(input.operator, `${path}.operator`, EVENT_OPERATORS);
  const count = () => (input.count === undefined ? 1 : countAt(input.count, `${path}.count`));
  switch (operator) {
    case "is_set":
      return { min_children: 1 };
    case "is_not_set":
      return { min_children: 0, max_children: 0 };
    case "at_least":
      return { min_children: count() };
    case "greater_than":
      return { min_children: count() + 1 };
    case "at_most":
      return { min_children: 0, max_children: count() };
    case "equals":
      return { min_children: count(), max_children: count() };
    case "less_than":
      if (count() === 0)
        throw new QueryError(`${path}.count`, "expected 1 or more: no event happens less than 0 times");
      return { min_children: 0, max_children: count() - 1 };
    case "between": {
      const [from, to] = listAt(input.count, `${path}.count`);
      return { min_children: countAt(from, `${path}.count.0`), max_children: countAt(to, `${path}.count.1`) };
    }
  }
}
