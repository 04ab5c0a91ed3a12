import type { ChangeSet } from "../../domain/changes/change-set.js";
import { forgetSubjects, originsElsewhere } from "../../domain/erasure/forget-subjects.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { findLivingUsers } from "../../storage/postgres/profiles/profile-ids.js";

/** A change without erased subjects. Events stay that belong to users who were split off an erased one. */
export async function forgetErased(
  database: Queryable,
  organizationId: string,
  change: ChangeSet,
  ids: ReadonlySet<string>,
): Promise<ChangeSet> {
  const origins = originsElsewhere(change, ids);
  const living = origins.length === 0 ? undefined : await findLivingUsers(database, organizationId, origins);
  return forgetSubjects(change, ids, living);
}
