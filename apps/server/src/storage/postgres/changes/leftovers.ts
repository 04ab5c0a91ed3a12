import type { Entry } from "../../../domain/entries/entry.js";
import type { Lane } from "../../../domain/entries/lanes.js";
import { compress, decompress } from "../../logs/compression.js";
import type { Queryable, Transaction } from "../database.js";

/** A batch of the log with entries that were dropped. */
export interface Leftover {
  organizationId: string;
  lane: Lane;
  position: number;
  batch: { receivedAt: Date; entries: Entry[] } | undefined;
}

/** The next batch that is applied as a whole and has dropped entries; undefined when there is none. */
export async function lockLeftover(tx: Transaction): Promise<Leftover | undefined> {
  const { rows } = await tx.query<{ organization_id: string; lane: Lane; position: number }>(
    `select o.organization_id, o.lane, o.position
     from erasure_leftovers o
     join apply_cursors c using (organization_id, lane)
     where o.position <= c.position
     limit 1
     for update of o skip locked`,
  );
  const [row] = rows;
  if (!row) return undefined;
  const { organization_id: organizationId, lane, position } = row;
  const { rows: batches } = await tx.query<{ received_at: Date; payload: Buffer }>(
    "select received_at, payload from ingest_log where organization_id = $1 and lane = $2 and position = $3",
    [organizationId, lane, position],
  );
  const [batch] = batches;
  return {
    organizationId,
    lane,
    position,
    batch: batch && { receivedAt: batch.received_at, entries: decompress<Entry[]>(batch.payload) },
  };
}

/** Replaces the entries of a batch, which then has none to drop any more. */
export async function clearLeftover(
  tx: Queryable,
  { organizationId, lane, position }: Leftover,
  kept: readonly Entry[],
): Promise<void> {
  await tx.query(
    `with cleared as (
       delete from erasure_leftovers where organization_id = $1 and lane = $2 and position = $3
     )
     update ingest_log
     set payload = $4, entry_count = $5
     where organization_id = $1 and lane = $2 and position = $3`,
    [organizationId, lane, position, compress(kept), kept.length],
  );
}
