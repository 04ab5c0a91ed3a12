import { isId, type SubjectType } from "@muster/protocol";
import {
  and,
  type Column,
  type Dialect,
  FALSE,
  or,
  type ParamType,
  type StatementParams,
  settled,
  type Target,
  WORD_CHARACTERS,
} from "@muster/query";
import type { EventLayout } from "./event-layout.js";
import { keysOf } from "./keys.js";
import { SQL_TYPES, type SubjectLayout } from "./layout.js";
import { anyText, isNothing, NO_PARTS, NULLS, type PropertyParts, readColumns, readText } from "./property-parts.js";

/** The part of an organization's file that the dialect needs. */
export interface DialectFile {
  /** The name under which the file is attached. */
  readonly databaseName: string;
  readonly layouts: Readonly<Record<SubjectType, SubjectLayout>>;
  readonly events: Pick<EventLayout, "use">;
  /** The number of a segment; undefined when it never had members. */
  segmentNumber(id: string): number | undefined;
}

/** Up to this many values are compared one by one. More are put into a hash table: 1,000 one by one took 35 times as long. */
const MAX_COMPARED = 32;

const GAP = `[^${WORD_CHARACTERS}]`;

const TABLES: Readonly<Record<Target, string>> = { user: "users", account: "accounts", event: "events" };

/** Columns of ids, and the columns with the keys of these ids. */
const KEY_COLUMNS: Readonly<Record<string, string>> = { id: "key", user_id: "user_key", account_id: "account_key" };

const EVENT_COLUMNS: Readonly<Record<string, Column>> = {
  id: { type: "id", sql: "id" },
  user_id: { type: "id", sql: "user_id" },
  created_at: { type: "instant", sql: "created_at" },
  ...Object.fromEntries(
    ["event", "event_id", "account_id", "source", "type", "session_id", "anonymous_id", "entity_id"].map((name) => [
      name,
      { type: "string", sql: name },
    ]),
  ),
};

const UNIT_WORDS = { y: "year", q: "quarter", M: "month", w: "week", d: "day", h: "hour", m: "minute", s: "second" };

/** The DuckDB dialect for the file of one organization. */
export function duckdbDialect(file: DialectFile): Dialect {
  const dynamics = new Map<string, PropertyParts>();

  const isOneOf = (
    sql: string,
    type: ParamType,
    values: readonly (string | number | bigint)[],
    params: StatementParams,
  ): string => {
    const [first] = values;
    if (first === undefined || isNothing(sql)) return FALSE;
    // A list is looked up once for each name of a row group, and a single value is compared with every row: half of the speed.
    if (values.length === 1 && sql !== "event") return `${sql} = ${params.add(type, first)}`;
    const list = params.addList(type, values);
    return values.length <= MAX_COMPARED ? `${sql} in ${list}` : `${sql} in (select unnest(${list}))`;
  };

  return {
    placeholder: (name) => `$${name}`,
    table: (target) => `${file.databaseName}.${TABLES[target]}`,
    // A file has the rows of one organization only.
    ownRows: () => "true",
    key: "key",
    userKey: "user_key",
    accountKey: "account_key",
    // Reading the ids of ten million events took as long as reading all other columns of a funnel.
    eventOrder: "rowid",

    attribute(kind, { key, type }) {
      if (key === "id") return { type: "id", sql: "id" };
      if (key === "created_at") return { type: "instant", sql: "created_at" };
      if (key === "account_id") return { type: "string", sql: "account_id" };
      // A field without any value has no column, but it has a type. So does a field whose values are being converted.
      const column = file.layouts[kind].find(key);
      return { type, sql: column?.field === type ? column.name : `cast(null as ${SQL_TYPES[type]})` };
    },

    eventColumn(key) {
      if (Object.hasOwn(EVENT_COLUMNS, key)) return EVENT_COLUMNS[key];
      const [, bag, name] = /^(properties|context)\.(.+)$/s.exec(key) ?? [];
      if (bag === undefined || name === undefined) return undefined;
      const property = file.events.use(key);
      const parts = property ? readColumns(property) : readText(bag, name);
      const sql = anyText(parts);
      dynamics.set(sql, parts);
      return { type: "dynamic", sql };
    },

    among(ids, params) {
      const keys = params.addList("integer", keysOf(ids));
      return (keySql) => `${keySql} in (select unnest(${keys}))`;
    },

    memberKeys(segmentIds, limit, params) {
      const numbers = segmentIds?.flatMap((id) => file.segmentNumber(id) ?? []);
      const which = numbers === undefined ? "true" : isOneOf("segment", "integer", numbers, params);
      return `select entity_key from ${file.databaseName}.memberships where ${and([which, limit?.("entity_key") ?? "true"])}`;
    },

    segmentLists: () =>
      `select entity_key as member_key, list(s.id order by s.id) as segment_list from ${file.databaseName}.memberships join ${file.databaseName}.segments s on s.number = segment group by entity_key`,

    isOneOf(sql, type, values, params) {
      const keyColumn = KEY_COLUMNS[sql];
      const isOfIds = type === "id" || values.every(isId);
      return keyColumn !== undefined && isOfIds
        ? isOneOf(keyColumn, "integer", keysOf(values as string[]), params)
        : isOneOf(sql, type, values, params);
    },
    idText: (sql) => sql,
    textOf: (sql) => `cast(${sql} as varchar)`,
    nullOf: (type) => NULLS[type],

    lower: (sql) => `lower(${sql})`,
    lowerCase: simpleLowerCase,
    startsWith: (sql, prefix) => `starts_with(${sql}, ${prefix})`,
    like: (sql, pattern) => `${sql} like ${pattern} escape '\\'`,
    matches: (sql, pattern) => `regexp_matches(${sql}, ${pattern})`,
    hasWords: (sql, { needle, pattern }, params) =>
      and([
        `contains(${sql}, ${params.add("text", needle)})`,
        `regexp_matches(${sql}, ${params.add("text", pattern(GAP))})`,
      ]),

    isFilled: (list) => `len(${list}) > 0`,
    hasAnyOf(list, texts, params) {
      if (texts.length > MAX_COMPARED) return `list_has_any(${list}, ${params.addList("text", texts)})`;
      return or(texts.map((text) => `list_contains(${list}, ${params.add("text", text)})`));
    },
    anyElement(list, condition) {
      if (isNothing(list)) return FALSE;
      const test = condition("element");
      return test === FALSE ? FALSE : `len(list_filter(${list}, lambda element: ${settled(test)})) > 0`;
    },
    numberFrom: (sql) => `try_cast(${sql} as double)`,
    smallest: (list) => `list_min(${list})`,
    largest: (list) => `list_max(${list})`,
    distinct: (list) => `list_distinct(${list})`,
    explode: (list) => `unnest(${list})`,
    placesOf(conditions) {
      const places = conditions.map((condition, place) => `case when ${condition} then ${place} end`);
      return `list_filter([${places.join(", ")}], lambda place: place is not null)`;
    },
    // Groups of one byte are found in a table by their number instead of their hash.
    place: (sql, count) => `cast(${sql} as ${count <= 256 ? "utinyint" : "integer"})`,
    setOf: (place) => `bit_or(1::bigint << cast(${place} as bigint))`,
    hasPlace: (set, place) => `((${set} >> ${place}) & 1)`,
    countElements: (list) => `len(list_distinct(flatten(list(${list}))))`,
    earliest: (value, order) => `arg_min(${value}, case when ${value} is not null then row(${order.join(", ")}) end)`,
    latest: (value, order) => `arg_max(${value}, case when ${value} is not null then row(${order.join(", ")}) end)`,

    dynamic: (sql) => dynamics.get(sql) ?? NO_PARTS,
    dynamicEquals(sql, { texts, numbers, booleans }, params) {
      const parts = dynamics.get(sql) ?? NO_PARTS;
      return or([
        isOneOf(parts.text, "text", texts, params),
        isOneOf(parts.number, "number", numbers, params),
        ...(isNothing(parts.boolean) ? [] : booleans.map((value) => `${parts.boolean} = ${value}`)),
        ...(isNothing(parts.list)
          ? []
          : texts.map((text) => `list_contains(${parts.list}, ${params.add("text", text)})`)),
      ]);
    },
    dynamicTexts(sql) {
      const { text, printed, list } = dynamics.get(sql) ?? NO_PARTS;
      return `coalesce(${list}, list_filter([coalesce(${text}, ${printed})], lambda element: element is not null))`;
    },

    instant: (ms) => ms,
    milliseconds: (instant) => `cast(${instant} as double)`,
    millisecondsAfter: (instant, first) => `(${instant} - ${first})`,
    quotient,
    // Only a text that starts like a date is read as one.
    millisecondsOfText: (sql) =>
      `cast(epoch_ms(case when regexp_matches(${sql}, '^\\d{4}-\\d{2}') then try_cast(${sql} as timestamptz) end) as double)`,
    startOfUnit(ms, unit, zone) {
      const moment = `timezone('UTC', make_timestamp(cast(${ms} as bigint) * 1000))`;
      const start = `timezone(${zone}, date_trunc('${UNIT_WORDS[unit]}', timezone(${zone}, ${moment})))`;
      return `cast(epoch_ms(${start}) as double)`;
    },

    jsonList: (items) => `json_array(${items.join(", ")})`,
    jsonText: (list) => `cast(${list} as varchar)`,
  };
}

const MOST_INTEGER = 2 ** 31 - 1;

/**
 * Dividing 32 bits takes half of the time of 64. A day is 84,375 times 2^10 milliseconds: shifting by ten bits first leaves the
 * whole part of the quotient as it is.
 */
function quotient(sql: string, divisor: number, most: number): string {
  const shift = 31 - Math.clz32(divisor & -divisor);
  const isShort = shift > 0 && most / 2 ** shift <= MOST_INTEGER;
  return isShort ? `(cast(${sql} >> ${shift} as integer) // ${divisor / 2 ** shift})` : `(${sql} // ${divisor})`;
}

/** Converts letter by letter, as DuckDB does: a letter never becomes two, and a final sigma is not special. */
function simpleLowerCase(text: string): string {
  return Array.from(text, (letter) => Array.from(letter.toLowerCase())[0]).join("");
}
