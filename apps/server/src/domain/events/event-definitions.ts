import { readDate } from "../attributes/read-date.js";

// What is defined is read and shown as a whole, so it must stay small. Further properties are stored with their events
// and can be searched, but no list names them.
export const MAX_DEFINED_PROPERTIES = 2_000;
const MAX_NAME_LENGTH = 512;

// jsonb cannot store NUL characters.
const isDefinable = (name: string) => name.length <= MAX_NAME_LENGTH && !name.includes("\0");

/** An event name with the types of the properties that are new. `byEndUser` counts only for a new name. */
export interface ChangedDefinition {
  name: string;
  properties: Record<string, string>;
  byEndUser: boolean;
}

/** The event names and property types of an organization. New ones are added when they first occur. */
export class EventDefinitions {
  readonly #known: Map<string, Map<string, string>>;
  readonly #changed = new Map<string, Map<string, string>>();
  readonly #byEndUsers = new Set<string>();

  constructor(known: Iterable<{ name: string; properties: Record<string, string> }>) {
    this.#known = new Map([...known].map(({ name, properties }) => [name, new Map(Object.entries(properties))]));
  }

  /** Notes an event. `mayDefine` is given for an end user's event, and says whether its name may be a new one. */
  observe(event: string, properties: Record<string, unknown>, mayDefine?: (name: string) => boolean): void {
    let known = this.#known.get(event);
    if (!known) {
      if (mayDefine) {
        if (!mayDefine(event)) return;
        this.#byEndUsers.add(event);
      }
      known = new Map();
      this.#known.set(event, known);
      this.#changed.set(event, new Map());
    }
    if (known.size >= MAX_DEFINED_PROPERTIES) return;
    for (const [name, value] of Object.entries(properties)) {
      if (value === null || value === undefined || known.has(name) || !isDefinable(name)) continue;
      const type = typeOfProperty(value);
      known.set(name, type);
      const changed = this.#changed.get(event) ?? new Map<string, string>();
      this.#changed.set(event, changed.set(name, type));
      if (known.size >= MAX_DEFINED_PROPERTIES) return;
    }
  }

  /** The names and properties that `observe` added. */
  changed(): ChangedDefinition[] {
    return [...this.#changed].map(([name, properties]) => ({
      name,
      properties: Object.fromEntries(properties),
      byEndUser: this.#byEndUsers.has(name),
    }));
  }
}

function typeOfProperty(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return "json";
  if (typeof value === "string") return readDate(value) === undefined ? "string" : "date";
  return typeof value;
}
