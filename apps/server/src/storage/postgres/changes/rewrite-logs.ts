import type { ChangeSet } from "../../../domain/changes/change-set.js";
import type { Entry } from "../../../domain/entries/entry.js";
import type { CleanedPage } from "../../logs/cleaned-page.js";
import { compress } from "../../logs/compression.js";
import type { Transaction } from "../database.js";
import { decompressChange } from "./decompress-change.js";

// A row may have several megabytes, and a page is in memory as a whole.
const ROWS_PER_PAGE = 20;

/**
 * The last change before all that can contain data of a subject created at `since` or later. The first change that was
 * made since then decides, because the clock may have stepped back after it. When there is none, the clock was wrong
 * then or is wrong now, and every change counts.
 */
export async function changeBefore(tx: Transaction, organizationId: string, since: Date): Promise<number> {
  // The hour allows for clocks that differ: ids may have been created by another process.
  const { rows } = await tx.query<{ sequence: number }>(
    `select coalesce(min(sequence), 1) - 1 as sequence
     from changes
     where organization_id = $1 and created_at >= $2::timestamptz - interval '1 hour'`,
    [organizationId, since],
  );
  return rows[0]?.sequence ?? 0;
}

/** Rewrites a page of the change log. `rewrite` returns the same object for a change that stays as it is. */
export async function rewriteChanges(
  tx: Transaction,
  organizationId: string,
  after: number,
  rewrite: (change: ChangeSet) => ChangeSet | Promise<ChangeSet>,
): Promise<CleanedPage> {
  const { rows } = await tx.query<{ sequence: number; payload: Buffer }>(
    `select sequence, payload
     from changes
     where organization_id = $1 and sequence > $2
     order by sequence
     limit $3`,
    [organizationId, after, ROWS_PER_PAGE],
  );
  let removed = 0;
  for (const { sequence, payload } of rows) {
    const change = decompressChange(payload);
    const rewritten = await rewrite(change);
    if (rewritten === change) continue;
    removed += 1;
    await tx.query("update changes set payload = $3 where organization_id = $1 and sequence = $2", [
      organizationId,
      sequence,
      compress(rewritten),
    ]);
  }
  return { end: rows.at(-1)?.sequence, removed };
}

/** Deletes entries from one page of the rejected entries. */
export async function dropRejectedEntries(
  tx: Transaction,
  organizationId: string,
  after: number,
  isDropped: (entry: Entry, rejectedAt: Date, message: string) => boolean,
): Promise<CleanedPage> {
  const { rows } = await tx.query<{ id: number; entry: string; message: string; rejected_at: Date }>(
    `select id, entry, message, rejected_at
     from rejected_entries
     where organization_id = $1 and id > $2
     order by id
     limit 1000`,
    [organizationId, after],
  );
  const dropped = rows.filter(({ entry, message, rejected_at }) =>
    isDropped(JSON.parse(entry) as Entry, rejected_at, message),
  );
  if (dropped.length > 0) {
    await tx.query("delete from rejected_entries where organization_id = $1 and id = any($2::bigint[])", [
      organizationId,
      dropped.map(({ id }) => id),
    ]);
  }
  return { end: rows.at(-1)?.id, removed: dropped.length };
}
