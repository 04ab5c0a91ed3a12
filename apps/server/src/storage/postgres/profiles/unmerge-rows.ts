import type { SubjectType } from "@muster/protocol";
import type { Transaction } from "../database.js";

/** A merge that is undone. */
export interface UndoneMerge {
  survivorId: string;
  restoredId: string;
  /** The ids of all that belong to the restored subject, its own first. */
  restoredIds: readonly string[];
  /** The id of the decision that the two must not be merged again; undefined without one. */
  keptApartAs: string | undefined;
}

/** Keeps an undone merge as history. Those that were merged into the restored subject before belong to it again. */
export async function saveUnmerge(
  tx: Transaction,
  subjectType: SubjectType,
  organizationId: string,
  { survivorId, restoredId, restoredIds, keptApartAs }: UndoneMerge,
): Promise<void> {
  await tx.query(
    `with undone as (
       delete from merges
       where organization_id = $1 and loser_id = $2
       returning *
     )
     insert into undone_merges (organization_id, loser_id, survivor_id, loser_state, merged_at, cause)
     select organization_id, loser_id, survivor_id, loser_state, merged_at, cause from undone`,
    [organizationId, restoredId],
  );
  const others = restoredIds.filter((id) => id !== restoredId);
  if (others.length > 0) {
    await tx.query("update merges set survivor_id = $3 where organization_id = $1 and loser_id = any($2::text[])", [
      organizationId,
      others,
      restoredId,
    ]);
    await tx.query("update merge_halves set subject_id = $3 where organization_id = $1 and id = any($2::text[])", [
      organizationId,
      others,
      restoredId,
    ]);
  }
  if (keptApartAs === undefined) return;
  await tx.query(
    `insert into do_not_merge (organization_id, id, subject_type, one_id, other_id)
     values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [organizationId, keptApartAs, subjectType, survivorId, restoredId],
  );
}
