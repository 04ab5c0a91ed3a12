import { type AccountClaims, type SubjectType, type UserClaims, withUserAttributePrefix } from "@muster/protocol";
import { readOperation } from "../attributes/read-operation.js";
import type { Entry } from "../entries/entry.js";
import { type ClaimedIdentifier, claimedIdentifiers, STRENGTH } from "./identifiers.js";

/** The ids and identifiers by which an entry names users, or accounts. */
export interface NamedIn {
  ids: string[];
  identifiers: ClaimedIdentifier[];
}

/** The body of an alias holds identifiers too, and attributes may be identifiers. */
export function identifiersIn(subjectType: SubjectType, entry: Entry): NamedIn {
  const named: NamedIn = { ids: [], identifiers: [] };
  const add = (claims: UserClaims | AccountClaims) => {
    if (claims.id !== undefined) named.ids.push(claims.id);
    named.identifiers.push(...claimedIdentifiers(subjectType, claims));
  };
  const claims = entry[subjectType];
  if (claims) add(claims);
  if (entry.subject === subjectType && entry.type !== "track") {
    named.identifiers.push(...identifiersInBody(subjectType, entry.body));
  }
  return named;
}

/**
 * Every identifier that a body may give the subject. An attribute of a user has two keys, and a body may have both. The
 * owner of an identifier that is missing here is not loaded, and the identifier then seems to be free.
 */
function identifiersInBody(subjectType: SubjectType, body: Record<string, unknown>): ClaimedIdentifier[] {
  return STRENGTH[subjectType].flatMap((kind) => {
    const keys = subjectType === "user" ? [kind, withUserAttributePrefix(kind)] : [kind];
    return keys.flatMap((key) => {
      const { value } = readOperation(body[key]);
      return typeof value === "string" ? claimedIdentifiers(subjectType, { [kind]: value }) : [];
    });
  });
}
