import type { SubjectType } from "@muster/protocol";
import type { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import type { AttributeValue } from "../attributes/attribute-values.js";
import { isoText } from "../attributes/iso-text.js";
import { knownReportKey } from "./known-report-key.js";
import type { Profile } from "./profile.js";

/**
 * The flat report of a user or account. Standard fields have their own names, custom attributes of users have a prefix.
 * The account and the segments are added when a report is read.
 */
export type Report = Record<string, AttributeValue>;

/**
 * Objects with all standard fields. They are written out, because an object that grows by many computed names becomes a
 * slow one: building and serialising a report then takes twice as long.
 */
const EMPTY: Record<SubjectType, (id: string) => Report> = {
  user: (id) => ({
    id,
    email: null,
    contact_email: null,
    external_id: null,
    domain: null,
    name: null,
    first_name: null,
    last_name: null,
    username: null,
    description: null,
    phone: null,
    picture: null,
    tags: NO_NAMES,
    unproved_attributes: NO_NAMES,
    address: null,
    anonymous_ids: null,
    created_at: null,
    updated_at: null,
    indexed_at: null,
    account_id: null,
    first_seen_at: null,
    last_seen_at: null,
    last_known_ip: null,
    first_session_id: null,
    latest_session_id: null,
    signup_session_id: null,
  }),
  account: (id) => ({
    id,
    external_id: null,
    domain: null,
    name: null,
    description: null,
    picture: null,
    anonymous_ids: null,
    created_at: null,
    updated_at: null,
    indexed_at: null,
  }),
};

const NO_NAMES: AttributeValue[] = [];

/**
 * Fields of users and accounts that may change without being listed among the changes of a profile: they are no
 * attributes, or follow from other values.
 */
export const UNLISTED_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "external_id",
  "anonymous_ids",
  "unproved_attributes",
  "created_at",
  "updated_at",
  "indexed_at",
  "first_seen_at",
  "last_seen_at",
  "last_known_ip",
  "first_session_id",
  "latest_session_id",
  "signup_session_id",
]);

/** Definitions with no hidden attributes. */
export const ALL_VISIBLE: Pick<AttributeDefinitions, "get"> = { get: () => undefined };

/** The report of a profile at the time `now`, without hidden attributes. */
export function reportOf(profile: Profile, definitions: Pick<AttributeDefinitions, "get">, now: number): Report {
  const { subjectType } = profile;
  const report = EMPTY[subjectType](profile.id);
  let updatedAt = profile.createdAt;
  let unproved: string[] | undefined;
  for (const [name, { value, written }] of profile.cells) {
    if (written.at > updatedAt) updatedAt = written.at;
    if (value === null || definitions.get(name)?.visible === false) continue;
    report[knownReportKey(subjectType, name)] = value;
    if (!written.unproved) continue;
    unproved ??= [];
    unproved.push(name);
  }
  report.external_id = profile.identifiers.external_id?.[0] ?? null;
  report.anonymous_ids = profile.identifiers.anonymous_id ?? [];
  report.created_at ??= isoText(profile.createdAt);
  report.updated_at = isoText(Math.max(updatedAt, profile.lastSeenAt ?? 0));
  report.indexed_at = isoText(now);
  if (subjectType === "user") {
    if (unproved) report.unproved_attributes = unproved.sort();
    report.account_id = profile.accountId ?? null;
    report.first_seen_at = iso(profile.firstSeenAt);
    report.last_seen_at = iso(profile.lastSeenAt);
    report.last_known_ip = profile.lastKnownIp?.value ?? null;
    report.first_session_id = profile.sessions.first?.value ?? null;
    report.latest_session_id = profile.sessions.latest?.value ?? null;
    report.signup_session_id = profile.sessions.signup?.value ?? null;
  }
  return report;
}

function iso(time: number | undefined): string | null {
  return time === undefined ? null : isoText(time);
}
