import { agreedPurposes } from "../../domain/identity/consents.js";
import type { Agreements } from "../../domain/purposes/withheld.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { loadProfiles } from "../../storage/postgres/profiles/profiles.js";

/** What users have agreed to now. The former id of a merged user leads to the user that is left. */
export async function readAgreements(
  database: Queryable,
  organizationId: string,
  userIds: readonly string[],
  purposes: readonly string[],
): Promise<Agreements> {
  if (userIds.length === 0 || purposes.length === 0) return new Map();
  const wanted = { ids: new Set(userIds), identifiers: [] };
  const loaded = await loadProfiles(database, "user", organizationId, wanted);
  return new Map(
    loaded.flatMap(({ profile, formerIds }) => {
      const agreed = agreedPurposes(profile, purposes);
      return [profile.id, ...formerIds].map((id): [string, Set<string>] => [id, agreed]);
    }),
  );
}
