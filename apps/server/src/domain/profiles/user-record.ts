import { createdAtOfId, hasUserAttributePrefix, withoutUserAttributePrefix } from "@muster/protocol";
import type { AttributeValue, Profile } from "./profile.js";
import type { Report } from "./report.js";

export interface UserRecordParts {
  user: Profile;
  report: Report;
  /** The number of events of the user, by name. */
  actions: Record<string, number>;
  /** The number of entities that the user likes now. */
  liked: number;
  signIn: { count: number; at: Date; appId: string; url: string | null } | undefined;
  /** The name of the connector that issued the token with which the user signed in. */
  signInProvider: string | undefined;
  isAdmin: boolean;
}

const PROVIDERS = [
  ["external_id", "external"],
  ["email", "email"],
  ["anonymous_id", "anonymous"],
] as const;

/** A user as the API shows it: for the browser library and `GET /:user_id`. */
export function userRecord({ user, report, actions, liked, signIn, signInProvider, isAdmin }: UserRecordParts) {
  const identities = identitiesOf(user, report, signInProvider);
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
    extra: customAttributes(report),
    profile: standardProfile(report),
    address: report.address ?? {},
    settings: { notifications: {} },
    stats: { actions, liked, sign_in_count: signIn?.count ?? 0 },
    confirmed: signIn !== undefined,
    is_admin: isAdmin,
    approved: true,
    main_identity: identities[0]?.provider ?? null,
    identities,
    sign_in: signIn ? { created_at: signIn.at.toISOString(), app_id: signIn.appId, url: signIn.url } : null,
  };
}

/** One identity for each identifier of the user and for the sign-in, the strongest first. */
function identitiesOf(user: Profile, report: Report, signInProvider: string | undefined) {
  const known = PROVIDERS.flatMap(([kind, provider]) =>
    (user.identifiers[kind] ?? []).map((uid) => ({ provider: provider as string, uid })),
  );
  if (signInProvider) known.unshift({ provider: signInProvider, uid: user.id });
  return known.map(({ provider, uid }) => ({
    id: `${provider}:${uid}`,
    created_at: createdAtOfId(user.id).toISOString(),
    name: report.name ?? fullName(report),
    description: report.description,
    stats: {},
    tags: [],
    picture: report.picture,
    type: "identity",
    provider,
    uid,
    ...(provider === "email" ? { email: uid } : {}),
    ...(provider === "external" ? { login: uid } : {}),
    ...(report.first_name ? { first_name: report.first_name } : {}),
    ...(report.last_name ? { last_name: report.last_name } : {}),
  }));
}

function fullName({ first_name, last_name }: Report): string | null {
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
