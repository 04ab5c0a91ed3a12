import { isId } from "@muster/protocol";
import { QueryError } from "../query-error.js";
import type { SortKey } from "../sort-key.js";
import type { Column } from "./column.js";
import type { Dialect } from "./dialect.js";
import { Joins } from "./joins.js";
import { and, bit, FALSE, or } from "./logic.js";
import type { Scope } from "./scope.js";
import { dateFrom, numberFrom } from "./values.js";

/** One expression of an `order by`. */
interface SortTerm {
  readonly sql: string;
  readonly type: "text" | "number" | "date" | "instant";
  readonly descending: boolean;
  readonly missingFirst: boolean;
}

export interface CompiledSort {
  /** Joins to write after the table in `from`, for sorting by values of the account. */
  readonly join: string;
  readonly orderBy: string;
  /** The values of the sort keys and the id, as JSON text. Given as `search_after`, they continue after the row. */
  readonly cursor: string;
  /** Rows that come after one with these values. */
  readonly after: (values: unknown, path: string) => string;
}

/** Rows with equal values are sorted by id, so that pages neither repeat nor skip a row. */
export function compileSort(keys: readonly SortKey[], scope: Scope): CompiledSort {
  const { dialect } = scope;
  const joins = new Joins(scope);
  const terms = keys.map((key) => termsOf(key, joins, dialect));
  return {
    join: joins.sql(),
    orderBy: [...terms.flat().map(orderOf), "id"].join(", "),
    cursor: dialect.jsonText(dialect.jsonList([...terms.map((key) => cursorOf(key, dialect)), dialect.idText("id")])),
    after: (values, path) => after(values, path, terms, scope),
  };
}

function termsOf(key: SortKey, joins: Joins, dialect: Dialect): SortTerm[] {
  const { descending, missingFirst, field } = key;
  return joins
    .values(field, (column) => sortables(column, key, dialect))
    .map((term) => ({ ...term, descending, missingFirst }));
}

function sortables(column: Column, key: SortKey, dialect: Dialect): Pick<SortTerm, "sql" | "type">[] {
  const { sql } = column;
  switch (column.type) {
    case "unknown":
      return [];
    case "string":
    case "json":
      return [{ sql, type: "text" }];
    case "id":
      return [{ sql: dialect.idText(sql), type: "text" }];
    case "numeric":
      return [{ sql, type: "number" }];
    case "date":
      return [{ sql, type: "date" }];
    case "instant":
      return [{ sql, type: "instant" }];
    case "boolean":
      return [{ sql: bit(sql), type: "number" }];
    case "array":
      return [{ sql: firstElement(sql, key, dialect), type: "text" }];
    case "dynamic": {
      // Numbers before texts: each row has one or the other.
      const { text, number, boolean, list } = dialect.dynamic(sql);
      return [
        { sql: `coalesce(${number}, ${bit(boolean)})`, type: "number" },
        { sql: `coalesce(${text}, ${firstElement(list, key, dialect)})`, type: "text" },
      ];
    }
    case "memberships":
      throw new QueryError(key.path, `"${key.field.key}" cannot be sorted by`);
  }
}

/** An array sorts by its smallest element, or its largest when descending. */
function firstElement(sql: string, key: SortKey, dialect: Dialect): string {
  return key.descending ? dialect.largest(sql) : dialect.smallest(sql);
}

function orderOf(term: SortTerm): string {
  return `${term.sql} ${term.descending ? "desc" : "asc"} nulls ${term.missingFirst ? "first" : "last"}`;
}

/** One value for each key; a property that may be a number or a text gives both. */
function cursorOf(terms: readonly SortTerm[], dialect: Dialect): string {
  const [first, second] = terms;
  if (first === undefined) return "null";
  if (second !== undefined) return dialect.jsonList([first.sql, second.sql]);
  return first.type === "instant" ? dialect.milliseconds(first.sql) : first.sql;
}

function after(values: unknown, path: string, keys: readonly (readonly SortTerm[])[], scope: Scope): string {
  const id = Array.isArray(values) ? values.at(-1) : undefined;
  if (!Array.isArray(values) || values.length !== keys.length + 1 || !isId(id)) {
    throw new QueryError(path, `expected a list of ${keys.length + 1} values: one for each field of sort, then the id`);
  }
  const terms = keys.flatMap((key, index) => {
    const given = valuesFor(key, values[index]);
    return key.map((term, place) => ({ term, value: valueFor(term, given[place], `${path}.${index}`, scope) }));
  });
  const later = terms.map(({ term, value }, index) =>
    and([...terms.slice(0, index).map((earlier) => sameAs(earlier.term, earlier.value)), laterThan(term, value)]),
  );
  const tied = and([...terms.map(({ term, value }) => sameAs(term, value)), `id > ${scope.params.add("id", id)}`]);
  return or([...later, tied]);
}

/** For a property, the type of the value in the cursor decides between number and text. */
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
  if (term.type === "text") return scope.params.add("text", String(given));
  const number =
    term.type === "number"
      ? numberFrom(typeof given === "boolean" ? Number(given) : given)
      : dateFrom(given, scope)?.first;
  if (number === undefined) throw new QueryError(path, `expected a ${term.type === "number" ? "number" : "date"}`);
  return term.type === "instant"
    ? scope.dialect.instant(scope.params.add("integer", number))
    : scope.params.add("number", number);
}

function sameAs(term: SortTerm, value: string | undefined): string {
  return value === undefined ? `${term.sql} is null` : `${term.sql} = ${value}`;
}

function laterThan(term: SortTerm, value: string | undefined): string {
  if (value === undefined) return term.missingFirst ? `${term.sql} is not null` : FALSE;
  const beyond = `${term.sql} ${term.descending ? "<" : ">"} ${value}`;
  return term.missingFirst ? beyond : or([beyond, `${term.sql} is null`]);
}
