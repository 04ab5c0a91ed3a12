import { QueryError } from "../query-error.js";
import type { SortKey } from "../sort-key.js";
import { type Column, TEXT_ARRAY } from "./column.js";
import { Joins } from "./joins.js";
import { and, FALSE, or } from "./logic.js";
import type { Scope } from "./scope.js";
import { dateFrom, isObjectId, numberFrom } from "./values.js";

/** One expression of an `order by`. */
interface SortTerm {
  readonly sql: string;
  readonly type: "text" | "number" | "date" | "instant";
  readonly descending: boolean;
  readonly missingFirst: boolean;
}

export interface CompiledSort {
  /** Follows the table in `from`: brings the account's values beside the rows that sort by them. */
  readonly join: string;
  readonly orderBy: string;
  /** The values of the sort keys and the id, as JSON text: what `search_after` takes to go on from a row. */
  readonly cursor: string;
  /** Rows that come after one with these values. */
  readonly after: (values: unknown, path: string) => string;
}

/** Equal rows are in the order of their ids, so that pages neither repeat nor skip a row. */
export function compileSort(keys: readonly SortKey[], scope: Scope): CompiledSort {
  const joins = new Joins(scope);
  const terms = keys.map((key) => termsOf(key, joins));
  return {
    join: joins.sql(),
    orderBy: [...terms.flat().map(orderOf), "id"].join(", "),
    cursor: `toJSONString(tuple(${[...terms.map(cursorOf), "toString(id)"].join(", ")}))`,
    after: (values, path) => after(values, path, terms, scope),
  };
}

function termsOf(key: SortKey, joins: Joins): SortTerm[] {
  const { descending, missingFirst, field } = key;
  return joins.values(field, (column) => sortables(column, key)).map((term) => ({ ...term, descending, missingFirst }));
}

function sortables(column: Column, key: SortKey): Pick<SortTerm, "sql" | "type">[] {
  const { sql } = column;
  switch (column.type) {
    case "unknown":
      return [];
    case "string":
    case "json":
      return [{ sql, type: "text" }];
    case "id":
      return [{ sql: `toString(${sql})`, type: "text" }];
    case "numeric":
      return [{ sql, type: "number" }];
    case "date":
      return [{ sql, type: "date" }];
    case "instant":
      return [{ sql, type: "instant" }];
    case "boolean":
      return [{ sql: `toFloat64(${sql})`, type: "number" }];
    case "array":
      return [{ sql: firstElement(sql, key), type: "text" }];
    case "dynamic":
      // Numbers before texts: each row has one or the other.
      return [
        { sql: `ifNull(${sql}.:Float64, toFloat64(${sql}.:Bool))`, type: "number" },
        { sql: `ifNull(${sql}.:String, ${firstElement(`${sql}.:${TEXT_ARRAY}`, key)})`, type: "text" },
      ];
    case "memberships":
      throw new QueryError(key.path, `"${key.field.key}" cannot be sorted by`);
  }
}

/** An array sorts by its smallest element, or its largest when descending. */
function firstElement(sql: string, key: SortKey): string {
  return `if(empty(${sql}), null, ${key.descending ? "arrayMax" : "arrayMin"}(${sql}))`;
}

function orderOf(term: SortTerm): string {
  return `${term.sql} ${term.descending ? "desc" : "asc"} nulls ${term.missingFirst ? "first" : "last"}`;
}

/** One value per key; a property that may be number or text gives the pair of both. */
function cursorOf(terms: readonly SortTerm[]): string {
  const [first, second] = terms;
  if (first === undefined) return "null";
  if (second !== undefined) return `tuple(${first.sql}, ${second.sql})`;
  return first.type === "instant" ? `toFloat64(toUnixTimestamp64Milli(${first.sql}))` : first.sql;
}

function after(values: unknown, path: string, keys: readonly (readonly SortTerm[])[], scope: Scope): string {
  const id = Array.isArray(values) ? values.at(-1) : undefined;
  if (!Array.isArray(values) || values.length !== keys.length + 1 || !isObjectId(id)) {
    throw new QueryError(path, `expected a list of ${keys.length + 1} values: one for each field of sort, then the id`);
  }
  const terms = keys.flatMap((key, index) => {
    const given = valuesFor(key, values[index]);
    return key.map((term, place) => ({ term, value: valueFor(term, given[place], `${path}.${index}`, scope) }));
  });
  const later = terms.map(({ term, value }, index) =>
    and([...terms.slice(0, index).map((earlier) => sameAs(earlier.term, earlier.value)), laterThan(term, value)]),
  );
  const tied = and([
    ...terms.map(({ term, value }) => sameAs(term, value)),
    `id > ${scope.params.add("FixedString(24)", id)}`,
  ]);
  return or([...later, tied]);
}

/** A property's value alone says which of number and text it was. */
function valuesFor(terms: readonly SortTerm[], value: unknown): readonly unknown[] {
  if (terms.length < 2) return [value];
  if (Array.isArray(value)) return value;
  return typeof value === "string" ? [null, value] : [value, null];
}

/** The placeholder of a value, or undefined for a row that has none. */
function valueFor(term: SortTerm, value: unknown, path: string, scope: Scope): string | undefined {
  if (value === null || value === undefined) return undefined;
  const given =
    typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : undefined;
  if (given === undefined) throw new QueryError(path, "expected the value a row was sorted by");
  if (term.type === "text") return scope.params.add("String", String(given));
  const number =
    term.type === "number"
      ? numberFrom(typeof given === "boolean" ? Number(given) : given)
      : dateFrom(given, scope)?.first;
  if (number === undefined) throw new QueryError(path, `expected a ${term.type === "number" ? "number" : "date"}`);
  return term.type === "instant"
    ? `fromUnixTimestamp64Milli(${scope.params.add("Int64", number)}, 'UTC')`
    : scope.params.add("Float64", number);
}

function sameAs(term: SortTerm, value: string | undefined): string {
  return value === undefined ? `isNull(${term.sql})` : `${term.sql} = ${value}`;
}

function laterThan(term: SortTerm, value: string | undefined): string {
  if (value === undefined) return term.missingFirst ? `isNotNull(${term.sql})` : FALSE;
  const beyond = `${term.sql} ${term.descending ? "<" : ">"} ${value}`;
  return term.missingFirst ? beyond : or([beyond, `isNull(${term.sql})`]);
}
