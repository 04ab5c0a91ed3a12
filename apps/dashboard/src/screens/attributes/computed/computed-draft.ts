import type { SubjectType } from "@muster/protocol";
import type { AttributeType } from "@muster/protocol/api/choices";
import type { Aggregate, Compute, ComputedAttribute, OverUsers } from "@muster/protocol/api/computed-attributes";
import type { GroupPredicate, Predicate, PropertyPredicate } from "@muster/query";
import { asGroup, completePart, EVERYTHING, isComplete, isEvent } from "../../../filters/clauses.js";
import { AGGREGATE_WORDS, onlyEntry } from "../../../filters/compute-words.js";
import { typeOfProperty } from "../../../filters/event-properties.js";
import type { FilterSchema } from "../../../filters/filter-schema.js";

/** What a value is computed from. */
export type ComputedSource = "events" | "users" | "formula";
export type DraftAggregate = Aggregate | "share";

type Json = Record<string, unknown>;

/** A definition while somebody writes it. What does not belong to its source and aggregate waits, and is not saved. */
export interface ComputedDraft {
  name: string;
  description: string;
  target: SubjectType;
  source: ComputedSource;
  aggregate: DraftAggregate;
  event: string;
  property: string;
  conditions: readonly PropertyPredicate[];
  within: string | undefined;
  attribute: string;
  users: GroupPredicate;
  /** A filter that the builder cannot show. It stays as it is. */
  otherWhere: Json | undefined;
  formula: string;
  type: AttributeType | undefined;
}

export function newDraft(target: SubjectType): ComputedDraft {
  return {
    name: "",
    description: "",
    target,
    source: "events",
    aggregate: "count",
    event: "",
    property: "",
    conditions: [],
    within: undefined,
    attribute: "",
    users: EVERYTHING,
    otherWhere: undefined,
    formula: "",
    type: undefined,
  };
}

const OF_EVENTS: readonly DraftAggregate[] = ["count", "sum", "average", "min", "max", "first", "last", "unique"];
const OF_USERS: readonly DraftAggregate[] = ["count", "share", "sum", "average", "min", "max", "unique"];

/** What can be computed from a source, in the words of a list. */
export function aggregatesOf(source: ComputedSource): { value: DraftAggregate; label: string }[] {
  const all = source === "users" ? OF_USERS : OF_EVENTS;
  const noun = source === "users" ? "users" : "events";
  return all.map((value) => ({ value, label: value === "count" ? `Number of ${noun}` : AGGREGATE_WORDS[value] }));
}

/** The draft with another source. An aggregate that the source does not have becomes the number. */
export function withSource(draft: ComputedDraft, source: ComputedSource): ComputedDraft {
  const has = aggregatesOf(source).some(({ value }) => value === draft.aggregate);
  return { ...draft, source, otherWhere: undefined, aggregate: has ? draft.aggregate : "count" };
}

/** Whether the values are of a property of events, or of an attribute of users. */
export function needsProperty({ source, aggregate }: ComputedDraft): boolean {
  return source !== "formula" && aggregate !== "count" && aggregate !== "share";
}

/** Whether people must, or may, say of which type the values are. */
export function mayHaveType({ source, aggregate }: ComputedDraft): boolean {
  return source === "formula" || ["first", "last", "min", "max"].includes(aggregate);
}

/** The type that the draft says: what somebody has chosen, else what is known of the property. */
export function typeOfDraft(draft: ComputedDraft, events: FilterSchema["events"]): AttributeType | undefined {
  if (!mayHaveType(draft) || draft.type !== undefined || draft.source !== "events") return draft.type;
  const properties = events.find(({ name }) => name === draft.event)?.properties ?? [];
  const type = typeOfProperty(properties, draft.property);
  return type === "array" || type === "json" ? undefined : type;
}

/** The filter as a predicate of users, which the API makes a query of. Undefined: there is none. */
export function filterOf({ source, event, conditions, users }: ComputedDraft): Predicate | undefined {
  if (source === "users") {
    const complete = completePart(users);
    return complete.predicates.length === 0 ? undefined : complete;
  }
  const where = conditions.filter(isComplete);
  return where.length === 0 ? undefined : { event: { name: event }, operator: "at_least", count: 1, where };
}

/** The conditions on events, out of the query that the API has made of the predicate about an event. */
export function eventQueryOf(query: unknown): Json {
  const must = mustOf(query);
  const [, ...conditions] = must;
  const [only] = conditions;
  return conditions.length === 1 && only !== undefined ? only : { bool: { must: conditions } };
}

/** The query about users that an event matches: the API makes a predicate of it again, if it has such a form. */
export function queryWithEvent(event: string, where: Json): Json {
  const isConjunction = Object.keys(where).join() === "bool" && Object.keys(where.bool as Json).join() === "must";
  const own = isConjunction ? ((where.bool as Json).must as Json[]) : [where];
  const query = { bool: { must: [{ term: { event } }, ...own] } };
  return { has_child: { type: "event", query, min_children: 1 } };
}

function mustOf(query: unknown): Json[] {
  const group = query as { bool?: { must?: Json[] }; has_child?: { query: { bool: { must: Json[] } } } };
  if (group.has_child) return group.has_child.query.bool.must;
  const [inner] = group.bool?.must ?? [];
  return inner === undefined ? [] : mustOf(inner);
}

/** The definition, or undefined while something is missing. `where` is the filter as a query. */
export function computeOf(draft: ComputedDraft, where: Json | undefined): Compute | undefined {
  const { source, aggregate, target, event, property, within, attribute, formula } = draft;
  if (source === "formula") return formula.trim() === "" ? undefined : { formula };
  const filter = where === undefined ? {} : { where };
  if (source === "users") {
    if (aggregate === "share" && where === undefined) return undefined;
    if (needsProperty(draft) && attribute.trim() === "") return undefined;
    const given = needsProperty(draft) ? { attribute: attribute.trim(), ...filter } : filter;
    // The lists above have the aggregates that the contract allows.
    return { over_users: { [aggregate]: given } as OverUsers };
  }
  if (event.trim() === "" || (needsProperty(draft) && property.trim() === "")) return undefined;
  const given = {
    event: event.trim(),
    ...(needsProperty(draft) ? { property: property.trim() } : {}),
    ...filter,
    ...(within === undefined ? {} : { within }),
  };
  return (target === "user" ? { [aggregate]: given } : { over_users: { [aggregate]: given } }) as Compute;
}

/** A saved definition as a draft, and its filter, of which the API makes a predicate. */
export function draftOf(saved: ComputedAttribute): { draft: ComputedDraft; where: Json | undefined } {
  const { name, description, target, compute } = saved;
  const draft = { ...newDraft(target), name, description };
  if (compute.formula !== undefined) {
    return { draft: { ...draft, source: "formula", formula: compute.formula }, where: undefined };
  }
  const [aggregate, given] = onlyEntry(compute.over_users ?? compute);
  const {
    event,
    property = "",
    within,
    attribute = "",
    where,
  } = given as {
    event?: string;
    property?: string;
    within?: string;
    attribute?: string;
    where?: Json;
  };
  if (event === undefined) return { draft: { ...draft, source: "users", aggregate, attribute }, where };
  return { draft: { ...draft, source: "events", aggregate, event, property, within }, where };
}

/** The draft with the predicate that the API has made of its filter. Null: the filter has no such form. */
export function withFilter(draft: ComputedDraft, where: Json, predicate: Predicate | null): ComputedDraft {
  if (predicate === null) return { ...draft, otherWhere: where };
  const group = asGroup(predicate);
  if (draft.source === "users") return { ...draft, users: group };
  const [clause, ...others] = group.predicates;
  if (clause === undefined || !isEvent(clause) || others.length > 0) return { ...draft, otherWhere: where };
  return { ...draft, conditions: clause.where ?? [] };
}
