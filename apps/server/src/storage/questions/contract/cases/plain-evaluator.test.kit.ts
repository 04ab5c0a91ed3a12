/**
 * Evaluates queries over plain documents, simply and without any code of the compiler. The results of the engine are
 * compared with it.
 */
export interface PlainDocument {
  readonly id: string;
  readonly text?: string;
  readonly number?: number;
  readonly flag?: boolean;
  /** Milliseconds. */
  readonly date?: number;
  readonly list?: readonly string[];
  readonly events: readonly PlainEvent[];
}

export interface PlainEvent {
  readonly name: string;
  readonly at: number;
  readonly size?: number;
}

type Clause = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, unknown>>;

export function fits(clause: Clause, document: PlainDocument): boolean {
  return holds(
    clause,
    {
      text: document.text,
      number: document.number,
      flag: document.flag,
      renewal_at: document.date,
      list: document.list,
    },
    document.events,
  );
}

function holds(clause: Clause, values: Values, events: readonly PlainEvent[]): boolean {
  const [entry] = Object.entries(clause);
  if (entry === undefined) return true;
  const [kind, body] = entry;
  if (kind === "bool") return boolHolds(body as Record<string, Clause[] | number>, values, events);
  if (kind === "not") return !holds(body as Clause, values, events);
  if (kind === "has_child") {
    const child = body as { query: Clause; min_children: number; max_children?: number };
    const count = events.filter((event) =>
      holds(child.query, { event: event.name, created_at: event.at, "properties.size": event.size }, []),
    ).length;
    return count >= child.min_children && count <= (child.max_children ?? Number.POSITIVE_INFINITY);
  }
  if (kind === "exists" || kind === "missing")
    return isThere(values[(body as { field: string }).field]) === (kind === "exists");
  const [[name, asked] = ["", undefined]] = Object.entries(body as Record<string, unknown>);
  const exact = name.endsWith(".raw");
  const value = values[exact ? name.slice(0, -4) : name];
  if (!isThere(value)) return false;
  return (Array.isArray(value) ? value : [value]).some((one) => oneHolds(kind, one, asked, exact));
}

function boolHolds(
  body: Readonly<Record<string, Clause[] | number>>,
  values: Values,
  events: readonly PlainEvent[],
): boolean {
  const clauses = (key: string) => (body[key] ?? []) as Clause[];
  const count = (key: string) => clauses(key).filter((clause) => holds(clause, values, events)).length;
  const required = clauses("must").length + clauses("filter").length;
  const minimum =
    (body.minimum_should_match as number | undefined) ?? (required === 0 && clauses("should").length > 0 ? 1 : 0);
  return count("must") + count("filter") === required && count("must_not") === 0 && count("should") >= minimum;
}

function isThere(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function oneHolds(kind: string, value: unknown, asked: unknown, exact: boolean): boolean {
  const text = String(value);
  const plain = exact ? text : text.toLowerCase();
  switch (kind) {
    case "term":
      return value === asked;
    case "terms":
      return (asked as unknown[]).includes(value);
    case "range":
      return Object.entries(asked as Record<string, number | string>).every(([bound, limit]) =>
        isWithin(value as number | string, bound, limit),
      );
    case "prefix": {
      const start = exact ? String(asked) : String(asked).toLowerCase();
      return plain.startsWith(start) || (!exact && words(text).some((word) => word.startsWith(start)));
    }
    case "wildcard":
      return wildcard(exact ? String(asked) : String(asked).toLowerCase()).test(plain);
    case "match":
      return exact ? text === asked : words(String(asked)).some((word) => words(text).includes(word));
    case "match_phrase":
      return exact ? text === asked : hasRow(words(text), words(String(asked)));
    default:
      throw new Error(`The evaluator does not know ${kind}.`);
  }
}

function isWithin(value: number | string, bound: string, limit: number | string): boolean {
  if (bound === "gt") return value > limit;
  if (bound === "gte") return value >= limit;
  return bound === "lt" ? value < limit : value <= limit;
}

function words(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== "");
}

function hasRow(all: readonly string[], row: readonly string[]): boolean {
  return row.length > 0 && all.some((_, at) => row.every((word, index) => all[at + index] === word));
}

function wildcard(pattern: string): RegExp {
  const source = [...pattern].map((character) =>
    character === "*" ? ".*" : character === "?" ? "." : character.replace(/[.+^${}()|[\]\\/]/g, "\\$&"),
  );
  return new RegExp(`^${source.join("")}$`, "su");
}
