import type { EventOperator, FieldType, GroupPredicate, Predicate, PropertyOperator } from "@muster/query";
import { EVENT_OPERATORS, GROUP_TYPES, OPERATORS } from "./operators.js";

/** A predicate that the builder can show, or the reason why it cannot, with the place. */
export type ReadPredicate = { predicate: Predicate | Record<string, never> } | { path: string; reason: string };

class NotShown extends Error {
  readonly path: string;

  constructor(path: string, reason: string) {
    super(reason);
    this.path = path;
  }
}

const DEEPEST = 32;

const TYPES: Readonly<Record<FieldType, true>> = {
  string: true,
  numeric: true,
  date: true,
  boolean: true,
  array: true,
  json: true,
};

/** Checks JSON that should be a predicate. What is accepted is returned as it is: nothing is changed or left out. */
export function readPredicate(value: unknown): ReadPredicate {
  try {
    check(value, "predicate", 1);
  } catch (error) {
    if (!(error instanceof NotShown)) throw error;
    return { path: error.path, reason: error.message };
  }
  // It was checked just now.
  return { predicate: value as Predicate };
}

function check(value: unknown, path: string, depth: number): void {
  const input = objectAt(value, path);
  if (depth > DEEPEST) throw new NotShown(path, `groups can be at most ${DEEPEST} deep`);
  if ("predicates" in input) checkGroup(input, path, depth);
  else if ("property" in input) checkProperty(input, path);
  else if ("event" in input) checkEvent(input, path);
  else if (depth > 1 || Object.keys(input).length > 0) {
    throw new NotShown(path, "expected a group with predicates, a property or an event");
  }
}

function checkGroup(input: Record<string, unknown>, path: string, depth: number): void {
  onlyKeys(input, path, ["type", "predicates"]);
  // A group says which of its predicates must hold; another word has no meaning.
  oneOf<GroupPredicate["type"]>(input.type, GROUP_TYPES, `${path}.type`);
  for (const [index, inner] of listAt(input.predicates, `${path}.predicates`).entries()) {
    check(inner, `${path}.predicates.${index}`, depth + 1);
  }
}

function checkProperty(input: Record<string, unknown>, path: string): void {
  onlyKeys(input, path, ["property", "operator", "options"]);
  const property = objectAt(input.property, `${path}.property`);
  textAt(property.key, `${path}.property.key`);
  if (property.type !== undefined) oneOf<FieldType>(property.type, TYPES, `${path}.property.type`);
  const operator = oneOf<PropertyOperator>(input.operator, OPERATORS, `${path}.operator`);
  const options = input.options === undefined ? {} : objectAt(input.options, `${path}.options`);
  onlyKeys(options, `${path}.options`, ["value"]);
  if (OPERATORS[operator].value === "none" && options.value !== undefined) {
    throw new NotShown(`${path}.options.value`, `"${operator}" takes no value`);
  }
  checkValue(options.value, `${path}.options.value`);
}

function checkEvent(input: Record<string, unknown>, path: string): void {
  onlyKeys(input, path, ["event", "operator", "count", "within", "where"]);
  textAt(objectAt(input.event, `${path}.event`).name, `${path}.event.name`);
  if (input.operator !== undefined) oneOf<EventOperator>(input.operator, EVENT_OPERATORS, `${path}.operator`);
  const counts = Array.isArray(input.count) ? (input.count as unknown[]) : [input.count];
  for (const count of counts) {
    if (count !== undefined && !(Number.isSafeInteger(count) && Number(count) >= 0)) {
      throw new NotShown(`${path}.count`, "expected a whole number, 0 or more");
    }
  }
  if (input.within !== undefined && typeof input.within !== "string" && typeof input.within !== "number") {
    throw new NotShown(`${path}.within`, "expected a span such as 30d, or a number of days");
  }
  for (const [index, condition] of (input.where === undefined ? [] : listAt(input.where, `${path}.where`)).entries()) {
    checkProperty(objectAt(condition, `${path}.where.${index}`), `${path}.where.${index}`);
  }
}

/** A value of a clause is a text, a number, true or false, or a list of these. */
function checkValue(value: unknown, path: string): void {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  for (const [index, one] of values.entries()) {
    const isShown = one === undefined || typeof one === "string" || typeof one === "number" || typeof one === "boolean";
    if (!isShown) {
      throw new NotShown(Array.isArray(value) ? `${path}.${index}` : path, "expected a text, a number, true or false");
    }
  }
}

function objectAt(value: unknown, path: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new NotShown(path, "expected an object");
}

function listAt(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new NotShown(path, "expected a list");
}

function textAt(value: unknown, path: string): void {
  if (typeof value !== "string") throw new NotShown(path, "expected a text");
}

function oneOf<Word extends string>(value: unknown, words: Readonly<Record<Word, unknown>>, path: string): Word {
  if (typeof value === "string" && Object.hasOwn(words, value)) return value as Word;
  throw new NotShown(path, `expected one of ${Object.keys(words).join(", ")}`);
}

function onlyKeys(input: Record<string, unknown>, path: string, known: readonly string[]): void {
  for (const key of Object.keys(input)) {
    if (!known.includes(key)) throw new NotShown(`${path}.${key}`, `is not known; expected ${known.join(", ")}`);
  }
}
