import { readDate } from "../attributes/read-date.js";

// jsonb cannot hold NUL, and a name with one is no name anybody will look for.
const isNameable = (name: string) => !name.includes("\0");

/** The event names and property types of an organization, growing as new ones are seen. */
export class EventDefinitions {
  readonly #known: Map<string, Map<string, string>>;
  readonly #changed = new Map<string, Record<string, string>>();

  constructor(known: Iterable<{ name: string; properties: Record<string, string> }>) {
    this.#known = new Map([...known].map(({ name, properties }) => [name, new Map(Object.entries(properties))]));
  }

  observe(event: string, properties: Record<string, unknown>): void {
    let known = this.#known.get(event);
    if (!known) {
      known = new Map();
      this.#known.set(event, known);
      this.#changed.set(event, {});
    }
    for (const [name, value] of Object.entries(properties)) {
      if (value === null || value === undefined || known.has(name) || !isNameable(name)) continue;
      const type = typeOfProperty(value);
      known.set(name, type);
      this.#changed.set(event, { ...this.#changed.get(event), [name]: type });
    }
  }

  /** Names and properties that were not known before. */
  changed(): { name: string; properties: Record<string, string> }[] {
    return [...this.#changed].map(([name, properties]) => ({ name, properties }));
  }
}

function typeOfProperty(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return "json";
  if (typeof value === "string") return readDate(value) === undefined ? "string" : "date";
  return typeof value;
}
