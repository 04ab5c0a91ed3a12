import { isObject } from "@muster/protocol";
import { QueryError } from "@muster/query";

/** Fields that are columns of the table. All others are in the document. */
const COLUMN_FIELDS: ReadonlyMap<string, string> = new Map([
  ["id", "id"],
  ["uid", "uid"],
  ["app_id", "app_id"],
]);

const DOCUMENT_FIELDS = ["name", "description", "picture", "type", "url", "tags", "extra", "meta_tags"];

const MAX_CLAUSES = 100;
const MAX_DEPTH = 8;

type Place = (value: unknown) => string;

interface Compiler {
  place: Place;
  clauses: number;
}

/**
 * Compiles a `where` to an SQL condition. Each field must have the given value, one of a list of values, or no value
 * (null). `$or` and `$and` combine several conditions. A stored list matches when one of its elements does. Only stored
 * values are compared, not the defaults from a page's meta tags. `place` takes a value and returns its placeholder.
 */
export function compileEntityFilter(where: unknown, place: Place): string {
  return compileClause(where, "where", { place, clauses: 0 }, 0);
}

function compileClause(where: unknown, path: string, compiler: Compiler, depth: number): string {
  if (!isObject(where)) throw new QueryError(path, "expected an object of fields and values");
  if (depth > MAX_DEPTH) throw new QueryError(path, `expected at most ${MAX_DEPTH} levels`);
  const conditions = Object.entries(where).map(([key, value]) => {
    compiler.clauses += 1;
    if (compiler.clauses > MAX_CLAUSES) throw new QueryError(path, `expected at most ${MAX_CLAUSES} clauses`);
    const at = `${path}.${key}`;
    if (key === "$or" || key === "$and") {
      const parts = listOf(value, at).map((part, index) => compileClause(part, `${at}.${index}`, compiler, depth + 1));
      return key === "$or" ? any(parts) : all(parts);
    }
    if (key.startsWith("$")) throw new QueryError(at, "expected a field, $or or $and");
    return compileField(key.split("."), value, at, compiler, depth);
  });
  return all(conditions);
}

function compileField(keys: string[], value: unknown, path: string, compiler: Compiler, depth: number): string {
  if (depth > MAX_DEPTH) throw new QueryError(path, `expected at most ${MAX_DEPTH} levels`);
  if (isObject(value)) {
    const inner = Object.entries(value);
    if (inner.length === 0) throw new QueryError(path, "expected a value");
    return all(
      inner.map(([key, part]) => {
        if (key.startsWith("$")) throw new QueryError(`${path}.${key}`, "expected a value");
        return compileField([...keys, ...key.split(".")], part, `${path}.${key}`, compiler, depth + 1);
      }),
    );
  }
  if (Array.isArray(value)) {
    if (value.length > MAX_CLAUSES) throw new QueryError(path, `expected at most ${MAX_CLAUSES} values`);
    return any(value.map((one, index) => compileValue(keys, one, `${path}.${index}`, compiler)));
  }
  return compileValue(keys, value, path, compiler);
}

function compileValue(keys: string[], value: unknown, path: string, { place }: Compiler): string {
  const [first = ""] = keys;
  const column = keys.length === 1 ? COLUMN_FIELDS.get(first) : undefined;
  if (!column && !DOCUMENT_FIELDS.includes(first)) {
    const known = [...COLUMN_FIELDS.keys(), ...DOCUMENT_FIELDS];
    throw new QueryError(path, `expected one of the fields ${known.join(", ")}`);
  }
  if (typeof value === "object" && value !== null) throw new QueryError(path, "expected a plain value");
  if (column) return value === null ? `${column} = ''` : `${column} = ${place(String(value))}`;
  if (value === null) return `document #> ${place(keys)}::text[] is null`;
  // Containment can use the index. A list that has the value as an element contains the list of that value alone.
  const contains = (part: unknown) => `document @> ${place(JSON.stringify(nested(keys, part)))}::text::jsonb`;
  return any([contains(value), contains([value])]);
}

function nested(keys: readonly string[], value: unknown): unknown {
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function listOf(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new QueryError(path, "expected a list of objects");
}

function all(conditions: readonly string[]): string {
  return conditions.length === 0 ? "true" : `(${conditions.join(" and ")})`;
}

function any(conditions: readonly string[]): string {
  return conditions.length === 0 ? "false" : `(${conditions.join(" or ")})`;
}
