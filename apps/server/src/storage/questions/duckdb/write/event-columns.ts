import { isObject } from "@muster/protocol";
import { storedElements, storedNumber, storedText, storedTime } from "@muster/query";
import type { StoredEvent } from "../../../../domain/changes/change-set.js";
import { keyOf } from "../layout/keys.js";
import type { ColumnValues } from "./fill-column.js";

/** The column values of events. */
export function eventColumns(events: readonly StoredEvent[]): ColumnValues[] {
  // The events of an evaluation share one object of properties, which is divided only once.
  const known = new Map<object, SeparateProperties>();
  const separated = (bag: Readonly<Record<string, unknown>>) => {
    const parts = known.get(bag) ?? separate(bag);
    known.set(bag, parts);
    return parts;
  };
  const properties = events.map((event) => separated(event.properties));
  const context = events.map((event) => separated(event.context));
  const text = (read: (event: StoredEvent) => string | null | undefined) =>
    events.map((event) => {
      const value = read(event);
      return value === undefined || value === null || value === "" ? null : storedText(value);
    });
  const key = (read: (event: StoredEvent) => string | null | undefined) =>
    events.map((event) => {
      const id = read(event);
      return id ? keyOf(id) : null;
    });
  return [
    events.map(({ id }) => keyOf(id)),
    events.map(({ id }) => id),
    events.map(({ event }) => storedText(event)),
    events.map(({ created_at }) => BigInt(storedTime(created_at) ?? 0)),
    text(({ event_id }) => event_id),
    key(({ user_id }) => user_id),
    text(({ user_id }) => user_id),
    key(({ origin_id }) => origin_id),
    key(({ account_id }) => account_id),
    text(({ account_id }) => account_id),
    text(({ event_source }) => event_source),
    text(({ event_type }) => event_type),
    text(({ session_id }) => session_id),
    text(({ anonymous_id }) => anonymous_id),
    text(({ entity_id }) => entity_id),
    properties.map(({ texts }) => texts),
    properties.map(({ numbers }) => numbers),
    properties.map(({ lists }) => lists),
    context.map(({ texts }) => texts),
    context.map(({ numbers }) => numbers),
    context.map(({ lists }) => lists),
    events.map(({ origin_id: _, ...shown }) => JSON.stringify(shown)),
  ];
}

/** The properties of an event, divided by type into JSON objects of one level; null when there is none of a type. */
interface SeparateProperties {
  texts: string | null;
  numbers: string | null;
  lists: string | null;
}

const NONE: SeparateProperties = { texts: null, numbers: null, lists: null };

function separate(properties: Readonly<Record<string, unknown>>): SeparateProperties {
  if (Object.keys(properties).length === 0) return NONE;
  const texts = new Map<string, string>();
  const numbers = new Map<string, number | boolean>();
  const lists = new Map<string, string[]>();
  const collect = (object: object, prefix: string): void => {
    for (const [key, value] of Object.entries(object)) {
      const name = prefix + key;
      // `{a: {b: 1}}` and `{"a.b": 1}` are the same property. If both occur, the first is kept.
      if (isObject(value)) collect(value, `${name}.`);
      else if (!texts.has(name) && !numbers.has(name) && !lists.has(name)) keep(name, value);
    }
  };
  const keep = (name: string, value: unknown): void => {
    if (name === "") return;
    if (typeof value === "string") texts.set(name, storedText(value));
    else if (typeof value === "boolean") numbers.set(name, value);
    else if (typeof value === "number") {
      if (storedNumber(value) !== undefined) numbers.set(name, value);
    } else if (Array.isArray(value)) {
      const elements = storedElements(value);
      if (elements.length > 0) lists.set(name, elements);
    }
  };
  collect(properties, "");
  return { texts: print(texts), numbers: print(numbers), lists: print(lists) };
}

/** Prints the members one by one: a JavaScript object would lose the name `__proto__`. */
function print(values: ReadonlyMap<string, unknown>): string | null {
  if (values.size === 0) return null;
  const members = Array.from(values, ([name, value]) => `${JSON.stringify(storedText(name))}:${JSON.stringify(value)}`);
  return `{${members.join(",")}}`;
}
