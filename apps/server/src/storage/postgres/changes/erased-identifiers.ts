import type { Lane } from "../../../domain/entries/lanes.js";
import type { ErasureTime } from "../../../domain/erasure/past-erasures.js";
import type { Queryable, Transaction } from "../database.js";

/** Those of the hashes that belong to erased subjects, with the time of the erasure. */
export async function findErasedHashes(
  database: Queryable,
  organizationId: string,
  hashes: readonly string[],
): Promise<Map<string, ErasureTime>> {
  if (hashes.length === 0) return new Map();
  const { rows } = await database.query<{ hash: string } & ErasureTime>(
    `select encode(hash, 'hex') as hash, recorded_at as "recordedAt", received_at as "receivedAt"
     from erased_identifiers
     where organization_id = $1 and hash in (select decode(h, 'hex') from unnest($2::text[]) as h)`,
    [organizationId, [...new Set(hashes)]],
  );
  return new Map(rows.map(({ hash, ...time }) => [hash, time]));
}

/** Stores the hashes of erased subjects. Of two erasures with the same hash, the later one counts. */
export async function saveErasedHashes(
  tx: Transaction,
  organizationId: string,
  erased: ReadonlyMap<string, ErasureTime>,
): Promise<void> {
  if (erased.size === 0) return;
  const times = [...erased.values()];
  await tx.query(
    `insert into erased_identifiers as e (organization_id, hash, recorded_at, received_at)
     select $1, decode(hash, 'hex'), recorded_at, received_at
     from unnest($2::text[], $3::bigint[], $4::bigint[]) as r (hash, recorded_at, received_at)
     on conflict (organization_id, hash) do update
     set recorded_at = greatest(e.recorded_at, excluded.recorded_at),
         received_at = greatest(e.received_at, excluded.received_at)`,
    [
      organizationId,
      [...erased.keys()],
      times.map(({ recordedAt }) => Math.floor(recordedAt)),
      times.map(({ receivedAt }) => Math.floor(receivedAt)),
    ],
  );
}

/** Notes batches of the log with entries that were dropped, so that the clean-up takes the entries out. */
export async function saveLeftovers(
  tx: Transaction,
  organizationId: string,
  lane: Lane,
  positions: Iterable<number>,
): Promise<void> {
  const all = [...positions];
  if (all.length === 0) return;
  await tx.query(
    `insert into erasure_leftovers (organization_id, lane, position)
     select $1, $2, position from unnest($3::bigint[]) as position
     on conflict do nothing`,
    [organizationId, lane, all],
  );
}

/** Hashes that no record can be older than any more are deleted: nothing waits this long. */
export async function forgetErasedHashes(database: Queryable, afterDays: number): Promise<void> {
  await database.query(
    `delete from erased_identifiers
     where greatest(recorded_at, received_at) < extract(epoch from now() - make_interval(days => $1)) * 1000`,
    [afterDays],
  );
}
