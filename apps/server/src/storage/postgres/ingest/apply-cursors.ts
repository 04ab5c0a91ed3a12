import type { Lane } from "../../../domain/entries/lanes.js";
import type { Queryable, Transaction } from "../database.js";
import { LeaseLost } from "../leases/lease-lost.js";

/** How far a lane of the ingestion log has been applied. */
export interface ApplyCursor {
  lane: Lane;
  position: number;
  /** Entries of the batch after `position` that are applied already. */
  offset: number;
  /** When the last batch was received, or -Infinity. */
  receivedAt: Date | number;
}

/** The cursors of the given lanes. A lane of which nothing was applied is at position 0. */
export async function readApplyCursors(
  tx: Queryable,
  organizationId: string,
  lanes: readonly Lane[],
): Promise<ApplyCursor[]> {
  const { rows } = await tx.query<{ lane: Lane; position: number; entry_offset: number; received_at: Date | number }>(
    "select lane, position, entry_offset, received_at from apply_cursors where organization_id = $1",
    [organizationId],
  );
  return lanes.map((lane) => {
    const row = rows.find((candidate) => candidate.lane === lane);
    return {
      lane,
      position: row?.position ?? 0,
      offset: row?.entry_offset ?? 0,
      receivedAt: row?.received_at ?? Number.NEGATIVE_INFINITY,
    };
  });
}

/** Moves the cursor of a lane. Throws when it is not where the step began, because another process has moved it. */
export async function saveApplyCursor(
  tx: Transaction,
  organizationId: string,
  before: ApplyCursor,
  after: ApplyCursor,
  appliedEntries: number,
): Promise<void> {
  const { rowCount } = await tx.query(
    `insert into apply_cursors as c (organization_id, lane, position, entry_offset, received_at, entries)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (organization_id, lane) do update
     set position = excluded.position, entry_offset = excluded.entry_offset, received_at = excluded.received_at,
         entries = c.entries + excluded.entries
     where c.position = $7 and c.entry_offset = $8`,
    [
      organizationId,
      after.lane,
      after.position,
      after.offset,
      after.receivedAt,
      appliedEntries,
      before.position,
      before.offset,
    ],
  );
  if (rowCount !== 1) throw new LeaseLost(`the apply stage of ${organizationId}`);
}

/** Of each lane, how many entries were applied. */
export async function countApplied(tx: Queryable, organizationId: string): Promise<Partial<Record<Lane, number>>> {
  const { rows } = await tx.query<{ lane: Lane; entries: number }>(
    "select lane, entries from apply_cursors where organization_id = $1",
    [organizationId],
  );
  return Object.fromEntries(rows.map(({ lane, entries }) => [lane, entries]));
}

/** Moves the cursor of a lane over batches that are given up. */
export async function skipTo(tx: Transaction, organizationId: string, lane: Lane, position: number): Promise<void> {
  await tx.query(
    `insert into apply_cursors (organization_id, lane, position)
     values ($1, $2, $3)
     on conflict (organization_id, lane) do update
     set position = excluded.position, entry_offset = 0`,
    [organizationId, lane, position],
  );
}

/**
 * Organizations with batches that are not applied or users who have not followed their account, or changes that are not
 * projected or whose computed values are not written.
 */
export async function organizationsWithWork(database: Queryable): Promise<{ apply: string[]; project: string[] }> {
  const apply = await database.query<{ organization_id: string }>(
    `select h.organization_id
     from log_heads h
     left join apply_cursors c using (organization_id, lane)
     where h.position > coalesce(c.position, 0)
     union
     select organization_id from account_relinks`,
  );
  const project = await database.query<{ organization_id: string }>(
    `select h.organization_id
     from change_heads h
     left join project_cursors c using (organization_id)
     where h.sequence > coalesce(c.sequence, 0) or c.computed_until < c.sequence`,
  );
  const ids = (rows: { organization_id: string }[]) => rows.map(({ organization_id }) => organization_id);
  return { apply: ids(apply.rows), project: ids(project.rows) };
}

/** How many acknowledged entries of an organization are not applied yet. */
export async function backlogOf(database: Queryable, organizationId: string): Promise<number> {
  const { rows } = await database.query<{ backlog: number }>(
    // Counts of a log elsewhere may be a second late.
    `select greatest(0, coalesce(sum(h.entries), 0)::bigint
       - coalesce((select sum(entries) from apply_cursors where organization_id = $1), 0)::bigint) as backlog
     from log_heads h
     where h.organization_id = $1`,
    [organizationId],
  );
  return rows[0]?.backlog ?? 0;
}

/** The same for all organizations that have such entries. */
export async function backlogs(database: Queryable): Promise<Map<string, number>> {
  const { rows } = await database.query<{ organization_id: string; backlog: number }>(
    `select h.organization_id, greatest(0, sum(h.entries - coalesce(c.entries, 0)))::bigint as backlog
     from log_heads h
     left join apply_cursors c using (organization_id, lane)
     where h.position > coalesce(c.position, 0)
     group by h.organization_id`,
  );
  return new Map(rows.map(({ organization_id, backlog }) => [organization_id, backlog]));
}
