import type { Queryable } from "../database.js";

/** A batch of messages, by its key. */
export interface BatchPlace {
  organizationId: string;
  id: number;
}

export const FIRST_BATCH: BatchPlace = { organizationId: "", id: 0 };

// Each batch is looked up in an index of the queues: some 20 ms for a page.
const BATCHES_PER_PAGE = 2_000;

/**
 * Removes the batches that no queue needs from the next page of batches: those of a queue that was dropped as a whole.
 * A delivery removes its own. Returns the last batch of the page, undefined after the last page.
 */
export async function removeUnusedBatches(
  database: Queryable,
  after: BatchPlace,
): Promise<{ last: BatchPlace | undefined; removed: number }> {
  const { rows } = await database.query<{ organizationId: string | null; id: number | null; removed: number }>(
    `with page as materialized (
       select organization_id, id, created_at
       from message_batches
       where (organization_id, id) > ($1, $2::bigint)
       order by organization_id, id
       limit $3
     ), removed as (
       delete from message_batches b
       using page p
       where b.organization_id = p.organization_id and b.id = p.id
         -- The rows of the queues are written in the same transaction as the batch. The minute is for safety.
         and p.created_at < now() - interval '1 minute'
         and not exists (select from outbox o where o.organization_id = p.organization_id and o.batch_id = p.id)
       returning b.id
     )
     select (select count(*) from removed) as removed, last.organization_id as "organizationId", last.id
     from (select) as one
     left join (select organization_id, id from page order by organization_id desc, id desc limit 1) last on true`,
    [after.organizationId, after.id, BATCHES_PER_PAGE],
  );
  const { organizationId, id, removed } = rows[0]!;
  return { last: organizationId === null || id === null ? undefined : { organizationId, id }, removed };
}
