import { withUserAttributePrefix } from "@muster/protocol";
import { type FieldType, STANDARD_FIELDS } from "@muster/query";
import type { StoredEvent, SubjectDocument, TypeOf } from "../lib/questions.js";
import {
  ATTRIBUTES,
  EPOCH_SECONDS,
  EVENT_NAMES,
  EVENT_PACE,
  EVENT_PRIME,
  EVENT_SECONDS,
  EVENT_USER_PACE,
  EVENTS_PER_USER,
  generateValue,
  USERS_PER_ACCOUNT,
} from "./attributes.js";
import { INDUSTRIES } from "./words.js";

/** Generated users, accounts and events by their number, as the pipeline would hand them to the question engine. */

/** Prints a number in two halves, because printing a number beyond 31 bits takes several times as long. */
function hex(value: number, digits: number): string {
  const low = value % 0x1000000;
  const high = (value - low) / 0x1000000;
  return (high.toString(16) + low.toString(16).padStart(6, "0")).padStart(digits, "0");
}

const createdAt = (n: number) => new Date((EPOCH_SECONDS + n) * 1_000).toISOString();

export const userId = (n: number) => `${hex((EPOCH_SECONDS + n) * 1_000, 12)}10${hex(n, 10)}`;
export const accountId = (n: number) => `${hex((EPOCH_SECONDS + n) * 1_000, 12)}11${hex(n, 10)}`;
const accountOf = (n: number) => accountId(Math.floor(n / USERS_PER_ACCOUNT));

const TYPES = new Map<string, FieldType>([
  ...ATTRIBUTES.map(({ name, type }) => [withUserAttributePrefix(name), type] as const),
  ["industry", "string"],
]);

export const typeOf: TypeOf = (kind, key) => STANDARD_FIELDS[kind][key] ?? TYPES.get(key);

/** A user with the fields that every report has, most of them empty. */
export function userDocument(n: number, version = 0): SubjectDocument {
  const report: SubjectDocument["report"] = {
    id: userId(n),
    email: `user-${n}@example.com`,
    contact_email: null,
    external_id: `user-${n}`,
    domain: null,
    name: null,
    first_name: null,
    last_name: null,
    username: null,
    description: null,
    phone: null,
    picture: null,
    tags: [],
    address: null,
  };
  for (const attribute of ATTRIBUTES) {
    const value = generateValue(attribute, n);
    if (value !== undefined) report[withUserAttributePrefix(attribute.name)] = value;
  }
  const at = createdAt(n);
  report.anonymous_ids = [];
  report.created_at = at;
  report.updated_at = at;
  report.indexed_at = at;
  report.account_id = accountOf(n);
  report.first_seen_at = at;
  report.last_seen_at = at;
  report.last_known_ip = null;
  report.first_session_id = null;
  report.latest_session_id = null;
  report.signup_session_id = null;
  return { report, accountId: accountOf(n), version };
}

export function accountDocument(n: number): SubjectDocument {
  const report = { id: accountId(n), industry: INDUSTRIES[n % INDUSTRIES.length] ?? null, created_at: createdAt(n) };
  return { report, accountId: undefined, version: 0 };
}

export const eventCount = (users: number) => users * EVENTS_PER_USER;

/** The events of this many users in the order of their time. `now` is in unix seconds. */
export function* eventsInOrder(users: number, now: number): Generator<StoredEvent> {
  const count = eventCount(users);
  // The age of event `m` is `(m * EVENT_PACE) % EVENT_SECONDS`. The age times the inverse of the pace is the number of the event.
  const inverse = inverseOf(EVENT_PACE, EVENT_SECONDS);
  for (let age = EVENT_SECONDS - 1; age >= 0; age--) {
    for (let m = (age * inverse) % EVENT_SECONDS; m < count; m += EVENT_SECONDS) yield event(m, users, now - age);
  }
}

function event(m: number, users: number, seconds: number): StoredEvent {
  const n = (m * EVENT_USER_PACE) % users;
  return storedEvent({
    number: m,
    user: n,
    atMs: seconds * 1_000,
    event: `Event ${((m % EVENT_PRIME) ** 2 % EVENT_PRIME) % EVENT_NAMES}`,
    account_id: accountOf(n),
    properties: { path: `/p/${m % 200}`, amount: (m * 31) % 997 },
    context: {},
  });
}

/** An event of a generated user, by its number, as the pipeline stores it. */
export function storedEvent({
  number,
  user,
  atMs,
  ...fields
}: Pick<StoredEvent, "event" | "account_id" | "properties" | "context"> & {
  number: number;
  user: number;
  atMs: number;
}): StoredEvent {
  const id = `${hex(atMs, 12)}12${hex(number, 10)}`;
  return {
    id,
    event_id: id,
    event_source: "bench",
    event_type: "track",
    created_at: new Date(atMs).toISOString(),
    user_id: userId(user),
    origin_id: userId(user),
    anonymous_id: null,
    session_id: null,
    ...fields,
  };
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

/** The values in groups of `size`; the last group may be smaller. */
export function* inGroups<Value>(values: Iterable<Value>, size: number): Generator<Value[]> {
  let group: Value[] = [];
  for (const value of values) {
    group.push(value);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** @example [...numbers(3)] // [0, 1, 2] */
export function* numbers(count: number, step = 1): Generator<number> {
  for (let place = 0; place < count; place++) yield place * step;
}
