import { withUserAttributePrefix } from "@muster/protocol";
import { type FieldType, STANDARD_FIELDS } from "@muster/query";
import type { StoredEvent, SubjectDocument, TypeOf } from "../lib/questions.js";
import { ATTRIBUTES, EPOCH_SECONDS, generateValue, USERS_PER_ACCOUNT } from "./attributes.js";

/** Generated users and events by their number, as the pipeline would hand them to the question engine. */

/** Formats a number in two halves, because formatting a number beyond 31 bits takes several times as long. */
function hex(value: number, digits: number): string {
  const low = value % 0x1000000;
  const high = (value - low) / 0x1000000;
  return (high.toString(16) + low.toString(16).padStart(6, "0")).padStart(digits, "0");
}

const createdAt = (n: number) => new Date((EPOCH_SECONDS + n) * 1_000).toISOString();

export const userId = (n: number) => `${hex((EPOCH_SECONDS + n) * 1_000, 12)}10${hex(n, 10)}`;
const accountId = (n: number) => `${hex((EPOCH_SECONDS + n) * 1_000, 12)}11${hex(n, 10)}`;
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
    unproved_attributes: [],
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
