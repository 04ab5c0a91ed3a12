import { isObject } from "@muster/protocol";
import { storedElements, storedText } from "@muster/query";

/** The properties of an event, divided by type into JSON objects of one level; null when there is none of a type. */
export interface SeparateProperties {
  texts: string | null;
  numbers: string | null;
  lists: string | null;
}

type Bag = Readonly<Record<string, unknown>>;

/**
 * Divides properties. The members are serialised one by one, because a JavaScript object would lose the name `__proto__`.
 * `{a: {b: 1}}` and `{"a.b": 1}` are the same property. If both occur, the first is kept.
 */
export function separateProperties(properties: Bag): SeparateProperties {
  const collected = { texts: "", numbers: "", lists: "" };
  // Without objects inside, no name can occur twice.
  const known = Object.values(properties).some(isObject) ? new Set<string>() : undefined;
  collect(properties, "", collected, known);
  const { texts, numbers, lists } = collected;
  return { texts: closed(texts), numbers: closed(numbers), lists: closed(lists) };
}

function collect(
  bag: Bag,
  prefix: string,
  collected: Record<keyof SeparateProperties, string>,
  known: Set<string> | undefined,
): void {
  for (const key of Object.keys(bag)) {
    const name = prefix + key;
    const value = bag[key];
    if (isObject(value)) {
      collect(value, `${name}.`, collected, known);
      continue;
    }
    if (name === "" || known?.has(name)) continue;
    if (typeof value === "string") collected.texts += member(name, storedText(value));
    else if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) {
      collected.numbers += member(name, value);
    } else if (Array.isArray(value)) {
      const elements = storedElements(value);
      if (elements.length === 0) continue;
      collected.lists += member(name, elements);
    } else continue;
    known?.add(name);
  }
}

function member(name: string, value: unknown): string {
  return `,${JSON.stringify(storedText(name))}:${JSON.stringify(value)}`;
}

function closed(members: string): string | null {
  return members === "" ? null : `{${members.slice(1)}}`;
}
