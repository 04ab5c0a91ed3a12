import {
  ACCOUNT_IDENTIFIERS,
  type AccountClaims,
  type Brand,
  type SubjectType,
  type TokenPayload,
  USER_IDENTIFIERS,
  type UserClaims,
} from "@muster/protocol";
import { clientError } from "./client-error.js";

/** How Muster treats the subject of a scoped client. */
export interface AdditionalClaims {
  /** Create the subject when it is not found. Default true. */
  create?: boolean | undefined;
  /** `["admin"]` lets the holder act as the user with the connector's full access. Default none. */
  scopes?: readonly string[] | undefined;
  /** Lower latency for less throughput; not for high volume. Default false. */
  active?: boolean | undefined;
}

/** The user or account that a scoped client acts for. A user that also has account claims is linked to that account. */
export interface Subject {
  readonly type: SubjectType;
  readonly user?: UserClaims;
  readonly account?: AccountClaims;
  readonly additional: AdditionalClaims;
}

/** The usable identifiers of the given claims; a string is an object id. Throws when there is none. */
export function readUserClaims(given: string | UserClaims): UserClaims {
  return readIdentifiers("user", USER_IDENTIFIERS, given);
}

export function readAccountClaims(given: string | AccountClaims): AccountClaims {
  return readIdentifiers("account", ACCOUNT_IDENTIFIERS, given);
}

function readIdentifiers<Key extends string>(
  kind: SubjectType,
  keys: readonly Key[],
  given: unknown,
): Partial<Record<Key, string>> {
  // Both lists of identifiers have `id`; the compiler does not know that of `Key`.
  const values = (typeof given === "string" ? { id: given } : given) as Record<Key, unknown> | null | undefined;
  const found: Partial<Record<Key, string>> = {};
  let isEmpty = true;
  for (const key of keys) {
    const value = values?.[key];
    if (value === undefined || value === null || value === "") continue;
    if (typeof value !== "string" && typeof value !== "number") {
      throw clientError("invalid_claims", `The ${kind} claim \`${key}\` must be a string.`);
    }
    const text = String(value);
    if (text.trim() === "") continue;
    found[key] = text;
    isEmpty = false;
  }
  if (isEmpty) {
    throw clientError(
      "invalid_claims",
      `The ${kind} claims have no identifier: give at least one of ${keys.join(", ")}.`,
    );
  }
  return found;
}

export function readAdditionalClaims(given: AdditionalClaims): AdditionalClaims {
  const { create, scopes, active } = given;
  if (create !== undefined && typeof create !== "boolean") {
    throw clientError("invalid_claims", "The additional claim `create` must be true or false.");
  }
  if (active !== undefined && typeof active !== "boolean") {
    throw clientError("invalid_claims", "The additional claim `active` must be true or false.");
  }
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string"))) {
    throw clientError("invalid_claims", "The additional claim `scopes` must be an array of strings.");
  }
  return given;
}

/** The claims of the subject's token, without the time of issue. */
export function claimsOf(brand: Brand, issuer: string, subject: Subject): TokenPayload {
  const { type, user, account } = subject;
  const { create, scopes, active } = subject.additional;
  const names = brand.claims;
  const claims: TokenPayload = { iss: issuer, [names.subjectType]: type };
  const subjectId = (type === "user" ? user : account)?.id;
  if (subjectId !== undefined) claims.sub = subjectId;
  if (user) claims[names.asUser] = user;
  if (account) claims[names.asAccount] = account;
  if (create !== undefined) claims[names.create] = create;
  if (active !== undefined) claims[names.active] = active;
  if (scopes !== undefined && scopes.length > 0) claims.scopes = scopes;
  return claims;
}

/** The subject as keys of the log context: `subject_type`, `user_email`, `account_domain`, … */
export function logContextOf(subject: Subject): Record<string, string> {
  const context: Record<string, string> = { subject_type: subject.type };
  for (const [key, value] of Object.entries(subject.user ?? {})) context[`user_${key}`] = value;
  for (const [key, value] of Object.entries(subject.account ?? {})) context[`account_${key}`] = value;
  return context;
}
