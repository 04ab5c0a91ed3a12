import { type SubjectType, withUserAttributePrefix } from "@muster/protocol";
import { readOperation } from "../attributes/read-operation.js";
import { type ClaimedIdentifier, claimedIdentifiers, STRENGTH } from "../identity/identifiers.js";
import type { Entry } from "./entry.js";

/** The ids and identifiers by which an entry names users, or accounts. */
export interface NamedIn {
  ids: string[];
  identifiers: ClaimedIdentifier[];
}

/** The body of an alias holds identifiers too, and attributes may be identifiers. */
export function identifiersIn(subjectType: SubjectType, entry: Entry): NamedIn {
  const named: NamedIn = { ids: [], identifiers: [] };
  const claims = entry[subjectType];
  if (claims) {
    if (claims.id !== undefined) named.ids.push(claims.id);
    named.identifiers = claimedIdentifiers(subjectType, claims);
  }
  if (entry.subject === subjectType && entry.type !== "track") {
    addIdentifiersInBody(subjectType, entry.body, named.identifiers);
  }
  return named;
}

/**
 * Every identifier that a body may give the subject. An attribute of a user has two keys, and a body may have both. The
 * owner of an identifier that is missing here is not loaded, and the identifier then seems to be free.
 */
function addIdentifiersInBody(
  subjectType: SubjectType,
  body: Record<string, unknown>,
  identifiers: ClaimedIdentifier[],
): void {
  for (const { kind, keys } of KEYS[subjectType]) {
    for (const key of keys) {
      const given = body[key];
      if (given === undefined) continue;
      const { value } = readOperation(given);
      if (typeof value === "string") identifiers.push(...claimedIdentifiers(subjectType, { [kind]: value }));
    }
  }
}

/** The keys under which a body may have an identifier. */
const KEYS = {
  user: STRENGTH.user.map((kind) => ({ kind, keys: [kind, withUserAttributePrefix(kind)] })),
  account: STRENGTH.account.map((kind) => ({ kind, keys: [kind] })),
};
