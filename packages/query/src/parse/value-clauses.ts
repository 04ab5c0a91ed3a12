import { isObject } from "@muster/protocol";
import { DEFAULT_DATE_FORMAT, dateReaders } from "../dates/date-format.js";
import { isTimeZone } from "../dates/time-zone.js";
import { LIMITS } from "../limits.js";
import { type Bound, type Field, not, type RangeQuery, type Scalar } from "../query.js";
import { QueryError } from "../query-error.js";
import { checkRegexp } from "./check-regexp.js";
import { CLAUSE_OPTIONS, type ClauseName } from "./clause-options.js";
import type { ClauseParser, ParseContext } from "./clause-parser.js";
import { parseField } from "./parse-field.js";
import {
  type JsonObject,
  listAt,
  objectAt,
  patternAt,
  refuseOthers,
  refuseUnknown,
  scalarAt,
  singleField,
  stringAt,
} from "./reader.js";

const BOUNDS: readonly Bound[] = ["gt", "gte", "lt", "lte"];

export const VALUE_CLAUSES = {
  term: (body, path, context) => {
    const { field, value, path: at } = fieldClause(body, path, context);
    return {
      kind: "terms",
      path,
      field,
      values: [withoutParentType(field, scalarAt(unwrap(value, at, "term", "value"), at))],
    };
  },

  terms: (body, path, context) => {
    const input = objectAt(body, path);
    const isIgnored = (key: string) => CLAUSE_OPTIONS.terms.ignored.some((ignored) => ignored === key);
    const rest = Object.fromEntries(Object.entries(input).filter(([key]) => !isIgnored(key)));
    const { field, value, path: at } = fieldClause(Object.keys(rest).length === 0 ? input : rest, path, context);
    const values = listAt(value, at).map((item, index) => withoutParentType(field, scalarAt(item, `${at}.${index}`)));
    return { kind: "terms", path, field, values };
  },

  ids: (body, path, context) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, CLAUSE_OPTIONS.ids);
    const values = Array.isArray(input.values) ? listAt(input.values, `${path}.values`) : [input.values];
    const field = parseField("id", path, context.target);
    return { kind: "terms", path, field, values: values.map((id, index) => stringAt(id, `${path}.values.${index}`)) };
  },

  range: (body, path, context) => {
    const { field, value, path: at } = fieldClause(body, path, context);
    const input = objectAt(value, at);
    refuseOthers(input, at, CLAUSE_OPTIONS.range);
    return {
      kind: "range",
      path,
      field,
      bounds: boundsIn(input, at),
      format: formatIn(input, at),
      timeZone: timeZoneIn(input, at),
    };
  },

  exists: (body, path, context) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, CLAUSE_OPTIONS.exists);
    return { kind: "exists", path, field: parseField(input.field, `${path}.field`, context.target) };
  },

  missing: (body, path, context) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, CLAUSE_OPTIONS.missing);
    if (input.existence === false) throw new QueryError(`${path}.existence`, "expected true, or to be left out");
    return not(path, { kind: "exists", path, field: parseField(input.field, `${path}.field`, context.target) });
  },

  prefix: (body, path, context) => {
    const { field, value, path: at } = fieldClause(body, path, context);
    const text = unwrap(value, at, "prefix", isObject(value) && "prefix" in value ? "prefix" : "value");
    return { kind: "prefix", path, field, value: patternAt(text, at) };
  },

  wildcard: (body, path, context) => {
    const { field, value, path: at } = fieldClause(body, path, context);
    const text = unwrap(value, at, "wildcard", isObject(value) && "wildcard" in value ? "wildcard" : "value");
    return { kind: "wildcard", path, field, pattern: patternAt(text, at) };
  },

  regexp: (body, path, context) => {
    const { field, value, path: at } = fieldClause(body, path, context);
    const pattern = patternAt(unwrap(value, at, "regexp", "value"), at);
    checkRegexp(pattern, at);
    return { kind: "regexp", path, field, pattern };
  },
} satisfies Partial<Record<ClauseName, ClauseParser>>;

function fieldClause(body: unknown, path: string, context: ParseContext) {
  const { name, value, path: at } = singleField(body, path);
  return { field: parseField(name, at, context.target), value, path: at };
}

/** `{field: value}` and `{field: {value, boost}}` are the same. */
function unwrap(value: unknown, path: string, clause: ClauseName, key: string): unknown {
  if (!isObject(value)) return value;
  refuseUnknown(value, path, [key, ...CLAUSE_OPTIONS[clause].ignored]);
  return value[key];
}

/** Older engines name a parent by type and id: `user_report#5f…`. */
function withoutParentType(field: Field, value: Scalar): Scalar {
  const isParent = field.target === "event" && field.key === "user_id";
  return isParent && typeof value === "string" ? value.replace(/^\w+#/, "") : value;
}

function boundsIn(input: JsonObject, path: string): RangeQuery["bounds"] {
  const bounds: Partial<Record<Bound, string | number>> = {};
  for (const bound of BOUNDS) {
    const value = input[bound];
    if (value === undefined || value === null) continue;
    const scalar = scalarAt(value, `${path}.${bound}`);
    if (typeof scalar === "boolean") throw new QueryError(`${path}.${bound}`, "expected a number, a date or a string");
    bounds[bound] = scalar;
  }
  if (Object.keys(bounds).length === 0) throw new QueryError(path, `expected one of ${BOUNDS.join(", ")}`);
  return bounds;
}

function formatIn(input: JsonObject, path: string): string | undefined {
  if (input.format === undefined) return undefined;
  const format = stringAt(input.format, `${path}.format`);
  if (format.length > LIMITS.formatLength || dateReaders(format) === undefined) {
    throw new QueryError(`${path}.format`, `expected date formats such as ${DEFAULT_DATE_FORMAT} or yyyy-MM-dd`);
  }
  return format;
}

function timeZoneIn(input: JsonObject, path: string): string | undefined {
  if (input.time_zone === undefined) return undefined;
  const zone = stringAt(input.time_zone, `${path}.time_zone`);
  if (!isTimeZone(zone))
    throw new QueryError(`${path}.time_zone`, "expected an offset such as +02:00 or a zone such as Europe/Paris");
  return zone;
}
