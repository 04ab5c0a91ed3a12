import { type AccountClaims, type SubjectType, type UserClaims, withUserAttributePrefix } from "@muster/protocol";
import type { Entry } from "../entries/entry.js";
import { type ClaimedIdentifier, claimedIdentifiers } from "./identifiers.js";

/** The ids and identifiers by which an entry names users, or accounts. */
export interface NamedIn {
  ids: string[];
  identifiers: ClaimedIdentifier[];
}

const IDENTIFYING = ["external_id", "email", "domain", "anonymous_id"] as const;

/** The body of an alias holds identifiers too, and attributes may be identifiers. */
export function identifiersIn(subjectType: SubjectType, entry: Entry): NamedIn {
  const named: NamedIn = { ids: [], identifiers: [] };
  const add = (claims: UserClaims | AccountClaims) => {
    if (claims.id !== undefined) named.ids.push(claims.id);
    named.identifiers.push(...claimedIdentifiers(subjectType, claims));
  };
  const claims = entry[subjectType];
  if (claims) add(claims);
  if (entry.subject === subjectType && entry.type !== "track") add(claimsInBody(entry.body));
  return named;
}

function claimsInBody(body: Record<string, unknown>): UserClaims {
  const found: UserClaims = {};
  for (const name of IDENTIFYING) {
    const value = body[name] ?? body[withUserAttributePrefix(name)];
    if (typeof value === "string") found[name] = value;
  }
  return found;
}
