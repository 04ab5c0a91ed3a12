import { readDate } from "../attributes/read-date.js";

// jsonb cannot store NUL characters.
const isStorable = (name: string) => !name.includes("\0");

/** The event names and property types of an organization. New ones are added when they first occur. */
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
      if (value === null || value === undefined || known.has(name) || !isStorable(name)) continue;
      const type = typeOfProperty(value);
      known.set(name, type);
      this.#changed.set(event, { ...this.#changed.get(event), [name]: type });
    }
  }

  /** The names and properties that `observe` added. */
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
