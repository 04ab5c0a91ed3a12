import type { SubjectType } from "@muster/protocol";
import { reportKey } from "@muster/query";
import type { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import type { AttributeValue, Profile } from "./profile.js";

/**
 * The flat report of a user or account. Standard fields have their own names, custom attributes of users have a prefix.
 * The account and the segments are added when a report is read.
 */
export type Report = Record<string, AttributeValue>;

const EMPTY: Record<SubjectType, Report> = {
  user: {
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
    tags: [],
    address: null,
  },
  account: { external_id: null, domain: null, name: null, description: null, picture: null },
};

/** Definitions with no hidden attributes. */
export const ALL_VISIBLE: Pick<AttributeDefinitions, "get"> = { get: () => undefined };

/** The report of a profile at the time `now`, without hidden attributes. */
export function reportOf(profile: Profile, definitions: Pick<AttributeDefinitions, "get">, now: number): Report {
  const report: Report = { id: profile.id, ...EMPTY[profile.subjectType] };
  let updatedAt = profile.createdAt;
  for (const [name, { value, at }] of profile.cells) {
    updatedAt = Math.max(updatedAt, at);
    if (value === null || definitions.get(name)?.visible === false) continue;
    report[reportKey(profile.subjectType, name)] = value;
  }
  report.external_id = profile.identifiers.external_id?.[0] ?? null;
  report.anonymous_ids = profile.identifiers.anonymous_id ?? [];
  report.created_at ??= iso(profile.createdAt);
  report.updated_at = iso(Math.max(updatedAt, profile.lastSeenAt ?? 0));
  report.indexed_at = iso(now);
  if (profile.subjectType === "user") {
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
  return time === undefined ? null : new Date(time).toISOString();
}
