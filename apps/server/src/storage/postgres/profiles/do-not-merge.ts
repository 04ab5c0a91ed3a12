import type { SubjectType } from "@muster/protocol";
import type { Queryable } from "../database.js";

/** Two subjects that must not be merged. */
export interface KeptApart {
  one: string;
  other: string;
}

/** A decision that two subjects must not be merged. The ids are those of today. */
export interface DoNotMergeRow extends KeptApart {
  id: string;
  subjectType: SubjectType;
  createdAt: Date;
}

/**
 * The decisions about subjects with these ids, also those that were made when they had other ids. The ids that are returned
 * are those of today.
 */
export async function loadKeptApart(
  database: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<KeptApart[]> {
  const { rows } = await database.query<KeptApart>(
    `with known as materialized (
       select unnest($2::text[]) as id
       union
       select loser_id from merges where organization_id = $1 and survivor_id = any($2::text[])
     ), decided as (
       select d.one_id, d.other_id
       from known k
         join do_not_merge d on d.organization_id = $1 and d.one_id = k.id
       union
       select d.one_id, d.other_id
       from known k
         join do_not_merge d on d.organization_id = $1 and d.other_id = k.id
     )
     select coalesce(m.survivor_id, d.one_id) as one, coalesce(n.survivor_id, d.other_id) as other
     from decided d
       left join merges m on m.organization_id = $1 and m.loser_id = d.one_id
       left join merges n on n.organization_id = $1 and n.loser_id = d.other_id`,
    [organizationId, ids],
  );
  return rows;
}

/** The decisions of an organization, the latest first. */
export async function listDoNotMerge(
  database: Queryable,
  organizationId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<DoNotMergeRow[]> {
  const { rows } = await database.query<DoNotMergeRow>(
    `select d.id, d.subject_type as "subjectType", coalesce(m.survivor_id, d.one_id) as one,
       coalesce(n.survivor_id, d.other_id) as other, d.created_at as "createdAt"
     from (
       select *
       from do_not_merge
       where organization_id = $1
       order by created_at desc, id
       limit $2 offset $3
     ) d
       left join merges m on m.organization_id = $1 and m.loser_id = d.one_id
       left join merges n on n.organization_id = $1 and n.loser_id = d.other_id
     order by d.created_at desc, d.id`,
    [organizationId, limit, offset],
  );
  return rows;
}

export async function countDoNotMerge(database: Queryable, organizationId: string): Promise<number> {
  const { rows } = await database.query<{ total: number }>(
    "select count(*) as total from do_not_merge where organization_id = $1",
    [organizationId],
  );
  return rows[0]!.total;
}

/** Removes a decision, so that the two can be merged again. */
export async function removeDoNotMerge(database: Queryable, organizationId: string, id: string): Promise<boolean> {
  const { rowCount } = await database.query("delete from do_not_merge where organization_id = $1 and id = $2", [
    organizationId,
    id,
  ]);
  return (rowCount ?? 0) > 0;
}
