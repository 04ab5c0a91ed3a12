import {
  ATTRIBUTES,
  EPOCH_SECONDS,
  EVENT_NAMES,
  EVENT_PACE,
  EVENT_PRIME,
  EVENT_SECONDS,
  EVENT_USER_PACE,
  EVENTS_PER_USER,
  type GeneratedAttribute,
  USERS_PER_ACCOUNT,
} from "./attributes.js";
import { INDUSTRIES } from "./words.js";

/** Where the SQL of two engines differs. */
export interface Dialect {
  /** A number as lower-case hexadecimal text with this many digits. */
  hex(number: string, digits: number): string;
  /** A time, in milliseconds since 1970, as ISO text. */
  iso(ms: string): string;
  /** The element of a list of words, counted from 0. */
  element(words: readonly string[], index: string): string;
  /** A division that drops the remainder. */
  quotient(number: string, divisor: number): string;
  /** Numbers from `first` up to, but not including, `end`, as the only column `name` of a relation. */
  numbers(first: number, end: number, name: string): string;
  /** The 64-bit key of the id that consists of a time, a kind and a number; null in an engine without keys. */
  keyOf(ms: string, kind: number, number: string): string;
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

export const POSTGRES: Dialect = {
  hex: (number, digits) => `lpad(to_hex((${number})::bigint), ${digits}, '0')`,
  iso: (ms) => `to_char(to_timestamp((${ms}) / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  element: (words, index) => `(array[${words.map(quote)}])[(${index}) + 1]`,
  quotient: (number, divisor) => `(${number}) / ${divisor}`,
  numbers: (first, end, name) => `generate_series(${first}::bigint, ${end}::bigint - 1) as g (${name})`,
  keyOf: () => "null",
};

export const DUCKDB: Dialect = {
  hex: (number, digits) => `format('{:0${digits}x}', (${number})::bigint)`,
  iso: (ms) => `strftime(make_timestamp((${ms}) * 1000), '%Y-%m-%dT%H:%M:%S.%gZ')`,
  element: (words, index) => `([${words.map(quote)}])[(${index}) + 1]`,
  quotient: (number, divisor) => `(${number}) // ${divisor}`,
  numbers: (first, end, name) => `range(${first}::bigint, ${end}::bigint) as g (${name})`,
  keyOf: (ms, kind, number) => `key_of_parts(${ms}, ${kind}, ${number})`,
};

/**
 * The macros that `keyOf` of DuckDB needs: the key of an id is a hash of its three words of 32 bits. The words are made from
 * the time, the kind and the number that the id consists of. A number times 2^32 + 1 is the number twice, so a rotated
 * number is one piece of it.
 */
export const KEY_MACROS = [
  "create temp macro key_low(x) as x & 4294967295::ubigint",
  "create temp macro key_times(x, y) as key_low(x * y)",
  "create temp macro key_turn(x, places) as key_low((x * 4294967297::ubigint) >> (32 - places))",
  `create temp macro key_round(state, word, factor) as key_low(key_times(key_turn(
     xor(state, key_times(key_turn(key_times(word, factor), 15), 461845907::ubigint)), 13), 5::ubigint) + 944331445::ubigint)`,
  "create temp macro key_shake(x, places) as xor(x, x >> places)",
  `create temp macro key_finish(state) as key_shake(key_times(key_shake(key_times(
     key_shake(state, 16), 2246822507::ubigint), 13), 3266489909::ubigint), 16)`,
  `create temp macro key_half(a, b, c, start, factor) as
     key_finish(key_round(key_round(key_round(start, a, factor), b, factor), c, factor))`,
  `create temp macro key_join(low, high) as
     (case when high >= 2147483648 then high::bigint - 4294967296 else high::bigint end) * 4294967296 + low::bigint`,
  `create temp macro key_of_words(a, b, c) as key_join(
     key_half(a, b, c, 625341585::ubigint, 3432918353::ubigint),
     key_half(c, a, b, 1779033703::ubigint, 2232777461::ubigint))`,
  `create temp macro key_of_id(id) as key_of_words(
     ('0x' || substr(id, 1, 8))::ubigint, ('0x' || substr(id, 9, 8))::ubigint, ('0x' || substr(id, 17, 8))::ubigint)`,
  `create temp macro key_of_parts(ms, kind, n) as key_of_words(
     (ms >> 16)::ubigint, (((ms & 65535) << 16) | (kind << 8) | (n >> 32))::ubigint, (n & 4294967295)::ubigint)`,
];

const userMs = (n: string) => `(${EPOCH_SECONDS} + ${n}) * 1000`;
/** Ids consist of a time, a kind and a number, as in `generate.ts`. */
const KIND = { user: 0x10, account: 0x11, event: 0x12 };
const idSql = (dialect: Dialect, ms: string, kind: number, n: string) =>
  `${dialect.hex(ms, 12)} || '${kind.toString(16)}' || ${dialect.hex(n, 10)}`;

/** The ids and keys of user `n` and of the user's account, whose number is `a`. */
const userColumns = (dialect: Dialect) => `
      ${idSql(dialect, userMs("n"), KIND.user, "n")} as the_id,
      ${dialect.keyOf(userMs("n"), KIND.user, "n")} as the_key,
      ${idSql(dialect, userMs("a"), KIND.account, "a")} as the_account_id,
      ${dialect.keyOf(userMs("a"), KIND.account, "a")} as the_account_key`;

/** The value of an attribute of user `n`. Dates are in milliseconds, flags are booleans. */
export function attributeSql(dialect: Dialect, { multiplier, modulus, value }: GeneratedAttribute): string {
  const seed = `(n * ${multiplier}) % ${modulus}`;
  if (value === "number") return seed;
  if (value === "flag") return `(${seed}) = 0`;
  if (value === "day") return `(${EPOCH_SECONDS} + (${seed}) * 60) * 1000`;
  return "prefix" in value ? `${quote(value.prefix)} || (${seed})` : dialect.element(value.words, seed);
}

/** Users by their number `n`, with a column for each generated value. */
export function usersSql(dialect: Dialect, first: number, end: number): string {
  const dates = ATTRIBUTES.filter(({ type }) => type === "date");
  const account = dialect.quotient("n", USERS_PER_ACCOUNT);
  return `
    select *,
      ${dates.map(({ name }) => `${dialect.iso(`v_${name}`)} as iso_${name}`).join(", ")},
      ${userColumns(dialect)},
      'user-' || n as the_external_id,
      ${userMs("n")} as created_ms, ${dialect.iso(userMs("n"))} as created_iso,
      ${shapeSql()} as shape
    from (
      select n, ${account} as a, ${ATTRIBUTES.map((attribute) => `${attributeSql(dialect, attribute)} as v_${attribute.name}`).join(", ")}
      from ${dialect.numbers(first, end, "n")}
    ) as drawn`;
}

export function accountsSql(dialect: Dialect, first: number, end: number): string {
  return `
    select n, ${idSql(dialect, userMs("n"), KIND.account, "n")} as the_id,
      ${dialect.keyOf(userMs("n"), KIND.account, "n")} as the_key, 'company-' || n as the_external_id,
      ${dialect.element(INDUSTRIES, `n % ${INDUSTRIES.length}`)} as industry,
      ${userMs("n")} as created_ms, ${dialect.iso(userMs("n"))} as created_iso,
      0 as shape
    from ${dialect.numbers(first, end, "n")}`;
}

/**
 * Events in the order of their time, with the ages from `oldest` down to, but not including, `youngest`. The ids and keys of
 * users are read from the table `people`, by the number of the user: making them again for each event takes longer.
 */
export function eventsSql(users: number, now: number, oldest: number, youngest: number): string {
  return `
    select drawn.*, people.* exclude (n),
      ${idSql(DUCKDB, "event_ms", KIND.event, "m")} as the_event_id,
      ${DUCKDB.keyOf("event_ms", KIND.event, "m")} as the_event_key,
      ${DUCKDB.iso("event_ms")} as event_iso,
      ${eventNameSql()} as event_name,
      '/p/' || (m % 200) as path, (m * 31) % 997 as amount, 0 as shape
    from (
      select m, (m * ${EVENT_USER_PACE}) % ${users} as n, (${now} - age) * 1000 as event_ms
      from (${agedSql(users * EVENTS_PER_USER, oldest, youngest)}) as aged
    ) as drawn
    left join people on people.n = drawn.n`;
}

/** The events of user `n`, of so many, as the inner part of a JSON object: how many there are of each name. For PostgreSQL. */
export function eventCountsSql(users: number): string {
  const first = `(n * ${inverseOf(EVENT_USER_PACE % users, users)}) % ${users}`;
  return `(
      select string_agg('"' || name || '":' || count, ',')
      from (
        select ${eventNameSql()} as name, count(*) as count
        from generate_series(${first}, ${users * EVENTS_PER_USER - 1}, ${users}) as numbers (m)
        group by name
      ) as counted
    )`;
}

/** The name of event `m`. */
function eventNameSql(): string {
  return `'Event ' || (((m % ${EVENT_PRIME}) * (m % ${EVENT_PRIME})) % ${EVENT_PRIME} % ${EVENT_NAMES})`;
}

/** The number of a user, from the id. */
export const numberOfId = (id: string) => `('0x' || substr(${id}, 15))::bigint`;

/** The numbers of events and their ages in seconds, the oldest first. */
function agedSql(count: number, oldest: number, youngest: number): string {
  if (count <= EVENT_SECONDS) {
    const age = `(m * ${EVENT_PACE}) % ${EVENT_SECONDS}`;
    return `
      select m, ${age} as age from ${DUCKDB.numbers(0, count, "m")}
      where ${age} <= ${oldest} and ${age} > ${youngest} order by ${age} desc`;
  }
  // Sorting so many would take long. The age times the inverse of the pace gives the number of an event of that age.
  const inverse = inverseOf(EVENT_PACE, EVENT_SECONDS);
  const eachSecond = Math.ceil(count / EVENT_SECONDS);
  return `
    select m, age
    from (
      select age, (age * ${inverse}) % ${EVENT_SECONDS} + (i % ${eachSecond}) * ${EVENT_SECONDS} as m
      from (
        select i, ${oldest} - ${DUCKDB.quotient("i", eachSecond)} as age
        from ${DUCKDB.numbers(0, (oldest - youngest) * eachSecond, "i")}
      ) as seconds
    ) as numbered
    where m < ${count}`;
}

/** Which of the template users a generated user looks like: the one with the same flags and the same missing values. */
export function shapeSql(): string {
  const bits = SHAPING.map(({ name, every }, bit) => {
    const isSet = every === undefined ? `v_${name}` : `n % ${every} = 0`;
    return `case when ${isSet} then ${2 ** bit} else 0 end`;
  });
  return bits.join(" + ");
}

/** Attributes whose values a text cannot be searched for: flags, and attributes that some users do not have. */
export const SHAPING = ATTRIBUTES.filter(({ value, every }) => value === "flag" || every !== undefined);
export const SHAPES = 2 ** SHAPING.length;

/** Whether a template of this shape has the value of the attribute; undefined for an attribute that all have. */
export function shapeHas(shape: number, attribute: GeneratedAttribute): boolean | undefined {
  const bit = SHAPING.indexOf(attribute);
  return bit === -1 ? undefined : (shape & (2 ** bit)) !== 0;
}

/** The modular inverse of `value`, by Euclid's algorithm. */
function inverseOf(value: number, modulus: number): number {
  let [remainder, next] = [modulus, value];
  let [factor, nextFactor] = [0, 1];
  while (next !== 0) {
    const quotient = Math.floor(remainder / next);
    [remainder, next] = [next, remainder - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return (factor + modulus) % modulus;
}
