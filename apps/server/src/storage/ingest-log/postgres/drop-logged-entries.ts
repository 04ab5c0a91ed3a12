import type { Entry } from "../../../domain/entries/entry.js";
import type { Lane } from "../../../domain/entries/lanes.js";
import type { CleanedPage } from "../../logs/cleaned-page.js";
import { compress, decompress } from "../../logs/compression.js";
import type { Transaction } from "../../postgres/database.js";

// A row may have several megabytes, and a page is in memory as a whole.
const ROWS_PER_PAGE = 20;

/** Deletes entries from one page of a lane of the ingestion log. Batches that are not applied yet are left alone. */
export async function dropLoggedEntries(
  tx: Transaction,
  organizationId: string,
  lane: Lane,
  after: number,
  isDropped: (entry: Entry, receivedAt: Date) => boolean,
): Promise<CleanedPage> {
  const { rows } = await tx.query<{ position: number; received_at: Date; payload: Buffer }>(
    `select l.position, l.received_at, l.payload
     from ingest_log l
     join apply_cursors c using (organization_id, lane)
     where l.organization_id = $1 and l.lane = $2 and l.position > $3 and l.position <= c.position
     order by l.position
     limit $4`,
    [organizationId, lane, after, ROWS_PER_PAGE],
  );
  let removed = 0;
  for (const { position, received_at, payload } of rows) {
    const entries = decompress<Entry[]>(payload);
    const kept = entries.filter((entry) => !isDropped(entry, received_at));
    if (kept.length === entries.length) continue;
    removed += entries.length - kept.length;
    await tx.query(
      `update ingest_log
       set payload = $5, entry_count = $6
       where organization_id = $1 and lane = $2 and position = $3 and received_at = $4`,
      [organizationId, lane, position, received_at, compress(kept), kept.length],
    );
  }
  return { end: rows.at(-1)?.position, removed };
}
