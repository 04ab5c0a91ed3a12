import {
  ATTRIBUTES,
  EPOCH_SECONDS,
  EVENT_DAYS,
  EVENT_NAMES,
  EVENTS_PER_USER,
  type GeneratedAttribute,
  USERS_PER_ACCOUNT,
} from "./attributes.js";

/** Statements that fill the tables of `@muster/query` by its row rules, with `n` for the number of a user or account. */

const hex = (expression: string, digits: number) => `leftPad(lower(hex(toUInt64(${expression}))), ${digits}, '0')`;

export const userId = (n: string) => `concat(${hex(`${EPOCH_SECONDS}000 + (${n}) * 1000`, 12)}, '10', ${hex(n, 10)})`;
export const accountId = (n: string) =>
  `concat(${hex(`${EPOCH_SECONDS}000 + (${n}) * 1000`, 12)}, '11', ${hex(n, 10)})`;

const accountOf = (n: string) => accountId(`intDiv(${n}, ${USERS_PER_ACCOUNT})`);
const createdAt = (n: string) => `fromUnixTimestamp64Milli(toInt64(${EPOCH_SECONDS}000 + (${n}) * 1000), 'UTC')`;
const iso = (seconds: string) => `concat(formatDateTime(toDateTime(${seconds}, 'UTC'), '%Y-%m-%dT%H:%i:%S'), '.000Z')`;

function value({ value, seed }: GeneratedAttribute, as: "attrs" | "doc"): string {
  if (value === "number") return `concat(toString(${seed})${as === "attrs" ? ", 'e0'" : ""})`;
  if (value === "flag") return `if(${seed} = 0, 'true', 'false')`;
  if (value === "day") {
    const seconds = `${EPOCH_SECONDS} + ${seed} * 60`;
    return as === "attrs" ? `concat(toString((${seconds}) * 1000), 'e0')` : `concat('"', ${iso(seconds)}, '"')`;
  }
  if ("prefix" in value) return `concat('"${value.prefix}', toString(${seed}), '"')`;
  return `['${value.words.map((word) => `"${word}"`).join("', '")}'][${seed} + 1]`;
}

function object(as: "attrs" | "doc", own: readonly string[]): string {
  const fields = ATTRIBUTES.map((attribute) => {
    const field = `concat(',"traits_${attribute.name}":', ${value(attribute, as)})`;
    return attribute.only ? `if(${attribute.only}, ${field}, '')` : field;
  });
  return `concat('{', ${own.join(", ',', ")}, ${fields.join(", ")}, '}')`;
}

export function usersStatement(org: string, from: number, count: number, version = 1, step = 1): string {
  const own = [`concat('"id":"', ${userId("n")}, '"')`, `concat('"email":"user-', toString(n), '@example.com"')`];
  return `insert into users (org, id, account_id, created_at, attrs, doc, version, is_deleted)
    select '${org}', ${userId("n")}, ${accountOf("n")}, ${createdAt("n")}, ${object("attrs", own)}, ${object("doc", own)}, ${version}, 0
    from (select toInt64(number * ${step}) + ${from} as n from numbers(${count}))`;
}

export function accountsStatement(org: string, count: number): string {
  const industry = "['retail', 'finance', 'health', 'energy'][n % 4 + 1]";
  const fields = `concat('{"id":"', ${accountId("n")}, '","industry":"', ${industry}, '"}')`;
  return `insert into accounts (org, id, created_at, attrs, doc, version, is_deleted)
    select '${org}', ${accountId("n")}, ${createdAt("n")}, ${fields}, ${fields}, 1, 0
    from (select toInt64(number) as n from numbers(${count}))`;
}

/** Events `from` … `from + count` of `users` users; `now` is in seconds. */
export function eventsStatement(org: string, users: number, from: number, count: number, now: number): string {
  const user = userId(`(m * 7919) % ${users}`);
  const seconds = eventSeconds(now);
  const properties = `concat('{"path":"/p/', toString(m % 200), '","amount":', toString((m * 31) % 997), 'e0}')`;
  // Not the remainder of m itself, or each user would know one event only.
  const event = `concat('Event ', toString(intDiv(m, 7) % ${EVENT_NAMES}))`;
  return `insert into events (org, event, created_at, id, event_id, user_id, origin_id, account_id, source, type, session_id,
      anonymous_id, properties, context, doc, version, is_deleted)
    select '${org}', ${event}, fromUnixTimestamp64Milli(toInt64(${seconds}) * 1000, 'UTC'),
      concat(${hex(`(${seconds}) * 1000`, 12)}, '12', ${hex("m", 10)}), toString(m), ${user}, ${user},
      ${accountOf(`(m * 7919) % ${users}`)}, '', 'track', '', '', ${properties}, '{}',
      concat('{"event":"', ${event}, '"}'), 1, 0
    from (select toInt64(number) + ${from} as m from numbers(${count}))`;
}

/** A tenth of the users are in the segment. */
export function membershipsStatement(org: string, segmentId: string, users: number): string {
  return `insert into memberships (org, segment_id, entity_id, entered_at, version, is_deleted)
    select '${org}', '${segmentId}', ${userId("n")}, now64(3), 1, 0
    from (select toInt64(number * 10) as n from numbers(${Math.ceil(users / 10)}))`;
}

export function eventSeconds(now: number): string {
  return `${now} - (m * 104729) % ${EVENT_DAYS * 86_400}`;
}

export const eventCount = (users: number) => users * EVENTS_PER_USER;
