import type { Queryable } from "../database.js";

export interface UsedCarriedId {
  digest: Buffer;
  expiresAt: Date;
}

/**
 * Notes that a carried id is used. False when it was used before, in this process or in another. Each use also removes
 * some rows that nobody needs any more, so that the table does not grow between two rounds of upkeep.
 */
export async function useCarriedId(
  database: Queryable,
  organizationId: string,
  { digest, expiresAt }: UsedCarriedId,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `with expired as (
       delete from used_carried_ids
       where (organization_id, digest) in (
         select organization_id, digest
         from used_carried_ids
         where organization_id = $1 and expires_at < $4
         limit 10
         for update skip locked
       )
     )
     insert into used_carried_ids (organization_id, digest, expires_at)
     values ($1, $2, $3)
     on conflict do nothing`,
    [organizationId, digest, expiresAt, now],
  );
  return rowCount === 1;
}
