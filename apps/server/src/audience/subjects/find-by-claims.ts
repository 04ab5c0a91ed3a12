import type { AccountClaims, SubjectType, UserClaims } from "@muster/protocol";
import { claimedIdentifiers } from "../../domain/identity/identifiers.js";
import { Roster } from "../../domain/identity/roster.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { loadProfiles } from "../../storage/postgres/profiles/profiles.js";

/** Finds the profile that claims identify, by the rules that apply uses. Nothing is created, merged or stored. */
export async function findByClaims(
  database: Queryable,
  kind: SubjectType,
  organizationId: string,
  claims: UserClaims | AccountClaims,
): Promise<Profile | undefined> {
  // This only reads, so limits and time do not matter.
  const roster = new Roster(kind, { mergesPerDay: 0, maxAnonymousIds: 0, maxSubjectBytes: 0 }, 0);
  const identifiers = claimedIdentifiers(kind, claims);
  const ids = claims.id === undefined ? [] : [claims.id];
  for (const { profile, formerIds } of await loadProfiles(database, kind, organizationId, { ids, identifiers })) {
    roster.load(profile, formerIds);
  }
  return roster.lookup(claims);
}
