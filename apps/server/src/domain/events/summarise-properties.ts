import { isObject } from "@muster/protocol";

const MAX_PROPERTIES = 500;
const MAX_SAMPLES = 5;
// Of each property so many different values are compared. Beyond that the most frequent ones are those seen first.
const MAX_VALUES = 1_000;
const MAX_TEXT = 100;
const MAX_DEPTH = 4;

export interface PropertySummary {
  name: string;
  /** The types of its values, the most frequent first. */
  types: string[];
  /** How many of the events have a value. */
  count: number;
  /** Its most frequent values. Long texts are cut. */
  samples: { value: string | number | boolean; count: number }[];
}

interface Seen {
  count: number;
  types: Map<string, number>;
  values: Map<string | number | boolean, number>;
}

/** The properties that events have, the most frequent first. A value within an object has a name with dots. */
export function summariseProperties(events: readonly unknown[]): PropertySummary[] {
  const properties = new Map<string, Seen>();
  for (const event of events) {
    for (const [name, value] of valuesIn(event, "", 0)) {
      const seen = properties.get(name) ?? { count: 0, types: new Map(), values: new Map() };
      if (seen.count === 0 && properties.size >= MAX_PROPERTIES) continue;
      properties.set(name, seen);
      seen.count++;
      add(seen.types, Array.isArray(value) ? "array" : typeof value);
      const shown = shownAs(value);
      if (seen.values.has(shown) || seen.values.size < MAX_VALUES) add(seen.values, shown);
    }
  }
  return [...properties]
    .map(([name, { count, types, values }]) => ({
      name,
      types: mostFrequent(types).map(([type]) => type),
      count,
      samples: mostFrequent(values)
        .slice(0, MAX_SAMPLES)
        .map(([value, times]) => ({ value, count: times })),
    }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
}

function* valuesIn(value: unknown, path: string, depth: number): Generator<[string, unknown]> {
  if (!isObject(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const name = path === "" ? key : `${path}.${key}`;
    if (isObject(item) && depth < MAX_DEPTH) yield* valuesIn(item, name, depth + 1);
    else if (item !== null && item !== undefined) yield [name, item];
  }
}

function shownAs(value: unknown): string | number | boolean {
  if (typeof value === "number" || typeof value === "boolean") return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).replace(/\p{Surrogate}$/u, "")}…`;
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function mostFrequent<Key>(counts: Map<Key, number>): [Key, number][] {
  return [...counts].sort(([, one], [, other]) => other - one);
}
