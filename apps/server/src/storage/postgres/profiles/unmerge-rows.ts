import type { SubjectType } from "@muster/protocol";
import type { Queryable, Transaction } from "../database.js";

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

export interface UndoneMergeRow {
  loserId: string;
  survivorId: string;
  mergedAt: Date;
  undoneAt: Date;
}

/** The merges that were undone in which a subject was, the latest first. */
export async function readUndoneMerges(
  database: Queryable,
  organizationId: string,
  id: string,
  limit: number,
): Promise<UndoneMergeRow[]> {
  const { rows } = await database.query<UndoneMergeRow>(
    `select loser_id as "loserId", survivor_id as "survivorId", merged_at as "mergedAt", undone_at as "undoneAt"
     from undone_merges
     where organization_id = $1 and (loser_id = $2 or survivor_id = $2)
     order by undone_at desc, id desc
     limit $3`,
    [organizationId, id, limit],
  );
  return rows;
}

/** The merge in which a subject was at a moment, and that was undone since. */
export async function findUndoneMerge(
  database: Queryable,
  organizationId: string,
  loserId: string,
  moment: Date,
): Promise<UndoneMergeRow | undefined> {
  const { rows } = await database.query<UndoneMergeRow>(
    `select loser_id as "loserId", survivor_id as "survivorId", merged_at as "mergedAt", undone_at as "undoneAt"
     from undone_merges
     where organization_id = $1 and loser_id = $2 and undone_at > $3
     order by merged_at
     limit 1`,
    [organizationId, loserId, moment],
  );
  return rows[0];
}
