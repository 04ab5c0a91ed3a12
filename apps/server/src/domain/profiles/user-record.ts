import { createdAtOfId, hasUserAttributePrefix, withoutUserAttributePrefix } from "@muster/protocol";
import type { User } from "@muster/protocol/api/subjects";
import type { AttributeValue } from "../attributes/attribute-values.js";
import type { Profile } from "./profile.js";
import type { Report } from "./report.js";
import type { UserMarks } from "./user-marks.js";

/** The sign-ins of a user with tokens of one connector. */
export interface UserSignIn {
  appId: string;
  /** The name of the connector; undefined when it was removed. */
  provider: string | undefined;
  count: number;
  /** The first one; null when it was not recorded. */
  firstAt: Date | null;
  /** The last one, and its page. */
  at: Date;
  url: string | null;
}

export interface UserRecordParts {
  user: Profile;
  report: Report;
  /** The number of events of the user, by name. */
  actions: Record<string, number>;
  /** The number of events of the user by the anonymous id that they came with. */
  eventsByAnonymousId: ReadonlyMap<string, number>;
  /** The number of entities that the user likes now. */
  liked: number;
  /** By connector, the one with the latest sign-in first. */
  signIns: readonly UserSignIn[];
  marks: UserMarks;
}

const PROVIDERS = [
  ["external_id", "external"],
  ["email", "email"],
  ["anonymous_id", "anonymous"],
] as const;

/** A user as the API shows it: for the browser library and `GET /:user_id`. */
export function userRecord(parts: UserRecordParts): User {
  const { user, actions, liked, signIns, marks } = parts;
  const report = standardFields(parts.report);
  const identities = identitiesOf(parts);
  const [signIn] = signIns;
  const email = report.email ?? null;
  return {
    id: user.id,
    type: "user",
    created_at: report.created_at,
    updated_at: report.updated_at,
    last_seen_at: report.last_seen_at,
    name: report.name ?? fullName(report),
    first_name: report.first_name,
    last_name: report.last_name,
    username: report.username,
    description: report.description,
    email,
    contact_email: report.contact_email ?? email,
    phone: report.phone,
    picture: report.picture,
    tags: report.tags ?? [],
    extra: customAttributes(parts.report),
    profile: standardProfile(parts.report),
    address: report.address ?? {},
    settings: { notifications: marks.notifications },
    stats: { actions, liked, sign_in_count: signIns.reduce((sum, { count }) => sum + count, 0) },
    confirmed: signIn !== undefined,
    is_admin: marks.isAdmin,
    approved: marks.approved,
    main_identity: identities[0]?.provider ?? null,
    identities,
    sign_in: signIn ? { created_at: signIn.at.toISOString(), app_id: signIn.appId, url: signIn.url } : null,
  };
}

/** What is known about one identity beside the fields that all identities of a user share. */
interface Identity {
  id: string;
  provider: string;
  uid: string;
  createdAt: Date;
  stats: { sign_in_count: number; last_sign_in_at: string } | { events: number } | Record<string, never>;
  login?: string;
  email?: string;
}

/** One identity for each connector that the user signed in with and for each identifier, the strongest first. */
function identitiesOf({ user, report: whole, signIns, eventsByAnonymousId }: UserRecordParts): User["identities"] {
  const report = standardFields(whole);
  // When an identifier came is not recorded, so it counts from the creation of the user.
  const createdAt = createdAtOfId(user.id);
  const signedIn = signIns.flatMap(({ appId, provider, count, firstAt, at }): Identity[] => {
    if (provider === undefined) return [];
    const stats = { sign_in_count: count, last_sign_in_at: at.toISOString() };
    return [{ id: `${appId}:${user.id}`, provider, uid: user.id, createdAt: firstAt ?? createdAt, stats }];
  });
  const identified = PROVIDERS.flatMap(([kind, provider]) =>
    (user.identifiers[kind] ?? []).map((uid): Identity => {
      // Nothing is counted for an email or an external id: an event does not tell which of them it came with.
      const stats: Identity["stats"] = kind === "anonymous_id" ? { events: eventsByAnonymousId.get(uid) ?? 0 } : {};
      const identity = { id: `${provider}:${uid}`, provider, uid, createdAt, stats };
      if (kind === "email") return { ...identity, email: uid };
      return kind === "external_id" ? { ...identity, login: uid } : identity;
    }),
  );
  return [...signedIn, ...identified].map(({ createdAt: since, ...identity }) => ({
    ...identity,
    created_at: since.toISOString(),
    name: report.name ?? fullName(report),
    description: report.description,
    tags: report.tags ?? [],
    picture: report.picture,
    type: "identity",
    ...(report.first_name ? { first_name: report.first_name } : {}),
    ...(report.last_name ? { last_name: report.last_name } : {}),
  }));
}

type StandardFields = Pick<
  User,
  | "created_at"
  | "updated_at"
  | "last_seen_at"
  | "name"
  | "first_name"
  | "last_name"
  | "username"
  | "description"
  | "email"
  | "contact_email"
  | "phone"
  | "picture"
> & { tags?: unknown[]; address?: unknown };

/** Values of standard fields have the types of their fields: other values are refused when they arrive. */
function standardFields(report: Report): StandardFields {
  return report as Record<string, unknown> as StandardFields;
}

function fullName({ first_name, last_name }: StandardFields): string | null {
  const name = [first_name, last_name].filter((part) => typeof part === "string" && part !== "").join(" ");
  return name === "" ? null : name;
}

function customAttributes(report: Report): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(report)
      .filter(([key]) => hasUserAttributePrefix(key))
      .map(([key, value]) => [withoutUserAttributePrefix(key), value]),
  );
}

function standardProfile({ name, first_name, last_name, picture, description }: Report) {
  return Object.fromEntries(
    Object.entries({ name, first_name, last_name, picture, description }).filter(([, value]) => value !== null),
  );
}
