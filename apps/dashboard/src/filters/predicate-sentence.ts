import type { EventPredicate, GroupPredicate, Predicate, PropertyPredicate } from "@muster/query";
import { attributeName, timeWords } from "../ui/text/words.js";
import { asGroup, isEvent, isGroup } from "./clauses.js";
import { EMPTY_SCHEMA, type FilterSchema, type FilterTarget, findField, ownerOf } from "./filter-schema.js";
import { EVENT_OPERATORS, isSegmentField, OPERATORS } from "./operators.js";
import { spanWords } from "./span.js";

export interface SentenceOptions {
  target: FilterTarget;
  /** Where the labels of attributes and the names of segments are. */
  schema?: FilterSchema | undefined;
}

/** The filter as a sentence: "Users whose plan is “pro” and who did “Order” at least 2 times in the last 30 days". */
export function predicateSentence(predicate: Predicate | Record<string, never>, options: SentenceOptions): string {
  const { target } = options;
  const group = asGroup(predicate);
  const nouns = target === "user" ? "users" : "accounts";
  if (group.predicates.length === 0) return `All ${nouns}`;
  const clauses = groupWords(group, options);
  return `${target === "user" ? "Users" : "Accounts"} ${clauses}`;
}

function groupWords({ type, predicates }: GroupPredicate, options: SentenceOptions): string {
  const parts = predicates.map((inner) => clauseWords(inner, options));
  if (type === "none") return parts.length === 1 ? `not ${inBrackets(parts[0] ?? "")}` : `not (${parts.join(" or ")})`;
  return parts.join(type === "all" ? " and " : " or ");
}

function clauseWords(predicate: Predicate, options: SentenceOptions): string {
  if (isEvent(predicate)) return eventWords(predicate, options);
  if (!isGroup(predicate)) return propertyWords(predicate, options);
  if (predicate.predicates.length === 0) return "of any kind";
  const words = groupWords(predicate, options);
  return predicate.type === "none" || predicate.predicates.length === 1 ? words : `(${words})`;
}

function inBrackets(words: string): string {
  return words.startsWith("(") ? words : `(${words})`;
}

function propertyWords(clause: PropertyPredicate, options: SentenceOptions): string {
  const { target } = options;
  const isOwn = ownerOf(clause.property, target) === target;
  if (!isSegmentField(clause.property.key)) {
    const label = findField(options.schema ?? EMPTY_SCHEMA, clause.property, target)?.label;
    return `${isOwn ? "whose" : "whose account's"} ${conditionWords(clause, label)}`;
  }
  const who = isOwn ? (target === "user" ? "who are" : "that are") : "whose account is";
  return `${who} ${clause.operator === "not_in_segment" ? "not " : ""}in ${segmentWords(clause, options)}`;
}

function segmentWords({ options: given }: PropertyPredicate, { schema }: SentenceOptions): string {
  const ids = listOf(given?.value).map(String);
  const names = ids.map((id) => quoted(schema?.segments.find((one) => one.id === id)?.name ?? id));
  if (names.length === 0) return "a segment";
  return names.length === 1 ? `the segment ${names[0]}` : `one of the segments ${names.join(", ")}`;
}

/** A condition on an attribute or on a property of an event: "plan is “pro”". */
function conditionWords({ property, operator, options }: PropertyPredicate, label?: string): string {
  const name = label ?? attributeName(property.key.replace(/^(properties|props)\./, ""));
  const { words, value: kind } = OPERATORS[operator];
  const value = options?.value;
  switch (kind) {
    case "none":
      return `${name} ${words}`;
    case "span":
      return `${name} ${words} ${spanWords(value)}`;
    case "pair": {
      const [from, to] = listOf(value);
      return `${name} ${words} ${valueWords(from)} and ${valueWords(to)}`;
    }
    default: {
      const values = listOf(value).map(valueWords);
      if (values.length === 0) return `${name} ${words} …`;
      return `${name} ${words} ${values.length === 1 ? values[0] : `one of ${values.join(", ")}`}`;
    }
  }
}

function eventWords(
  { event, operator = "at_least", count, within, where = [] }: EventPredicate,
  { target }: SentenceOptions,
): string {
  const who = target === "user" ? "who" : "whose users";
  const window = within === undefined ? "" : ` in the last ${spanWords(within)}`;
  const conditions =
    where.length === 0 ? "" : ` with ${where.map((condition) => conditionWords(condition)).join(" and ")}`;
  if (operator === "is_not_set") return `${who} never did ${quoted(event.name)}${conditions}${window}`;
  if (operator === "is_set") return `${who} did ${quoted(event.name)}${conditions}${window}`;
  return `${who} did ${quoted(event.name)}${conditions} ${timesWords(operator, count)}${window}`;
}

function timesWords(operator: NonNullable<EventPredicate["operator"]>, count: EventPredicate["count"] = 1): string {
  const { words } = EVENT_OPERATORS[operator];
  if (Array.isArray(count)) return `${words} ${count.join(" and ")} times`;
  return `${words} ${count === 1 ? "once" : `${String(count)} times`}`;
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function valueWords(value: unknown): string {
  if (typeof value === "string") return timeWords(value) === value ? quoted(value) : timeWords(value);
  return value === undefined ? "…" : String(value);
}

function quoted(text: string): string {
  return `“${text}”`;
}
