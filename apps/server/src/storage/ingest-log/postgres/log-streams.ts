import type { LanePositions } from "../../../domain/entries/lanes.js";
import type { Queryable } from "../../postgres/database.js";
import type { StreamIdentity, TruncatedStream } from "../log-home.js";
import type { BatchReceipt } from "../part-receipts.js";
import { type ReceiptRow, receiptsOf } from "./part-receipts.js";

/** What a process must know before it publishes batches of an organization, as of one moment. */
export interface AppendBasis {
  /** The number of the present log. */
  number: number;
  isTruncated: boolean;
  /** The highest sequence of the stream that was noted. */
  knownSequence: number;
  /** The last position of each lane that was noted, and the last one that was applied. */
  noted: LanePositions;
  applied: LanePositions;
  receipts: ReadonlyMap<string, BatchReceipt>;
}

/** Reads it in one statement: every append needs it, and what was applied must fit to the receipts. */
export async function readAppendBasis(
  tx: Queryable,
  organizationId: string,
  digests: readonly Buffer[],
): Promise<AppendBasis | undefined> {
  const { rows } = await tx.query<
    {
      number: number;
      is_truncated: boolean;
      known_sequence: number | null;
      noted: LanePositions | null;
      applied: LanePositions | null;
    } & (ReceiptRow | { digest: null })
  >(
    `select p.number, s.truncated_at is not null as is_truncated, s.known_sequence,
       (select jsonb_object_agg(lane::text, position) from log_heads where organization_id = $1) as noted,
       (select jsonb_object_agg(lane::text, position) from apply_cursors where organization_id = $1) as applied,
       r.digest, r.positions, r.answer, r.parts
     from log_placements p
     left join log_streams s on s.name = p.stream and s.created = p.stream_created
     left join ingest_receipts r on r.organization_id = $1 and r.digest = any($2::bytea[])
     where p.organization_id = $1 and p.until is null`,
    [organizationId, digests],
  );
  const [row] = rows;
  return (
    row && {
      number: row.number,
      isTruncated: row.is_truncated,
      knownSequence: row.known_sequence ?? 0,
      noted: row.noted ?? {},
      applied: row.applied ?? {},
      receipts: receiptsOf(rows.flatMap((each) => (each.digest ? [each] : []))),
    }
  );
}

/** Notes the highest sequences of streams that are known. */
export async function noteSequences(
  tx: Queryable,
  streams: readonly (StreamIdentity & { sequence: number })[],
): Promise<void> {
  await tx.query(
    `insert into log_streams as s (name, created, known_sequence)
     select name, created, sequence
     from unnest($1::text[], $2::text[], $3::bigint[]) as g (name, created, sequence)
     order by name, created
     on conflict (name, created) do update
     set known_sequence = excluded.known_sequence
     where s.known_sequence < excluded.known_sequence`,
    [streams.map(({ name }) => name), streams.map(({ created }) => created), streams.map(({ sequence }) => sequence)],
  );
}

/** The highest sequence of a stream that was acknowledged or applied, as far as PostgreSQL knows. */
export async function readKnownSequence(tx: Queryable, { name, created }: StreamIdentity): Promise<number> {
  const { rows } = await tx.query<{ sequence: number }>(
    `select greatest(
       0,
       (select known_sequence from log_streams where name = $1 and created = $2),
       (
         select max(greatest(h.position, c.position) - p.base)
         from log_placements p
         join log_heads h using (organization_id)
         left join apply_cursors c using (organization_id, lane)
         where p.stream = $1 and p.stream_created = $2 and p.until is null
       )
     )::bigint as sequence`,
    [name, created],
  );
  return rows[0]?.sequence ?? 0;
}

/** Says that a stream was truncated. Returns whether nobody has said it before. */
export async function markTruncated(tx: Queryable, { name, created, known, found }: TruncatedStream): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into log_streams as s (name, created, known_sequence, truncated_at, found_sequence)
     values ($1, $2, $3, now(), $4)
     on conflict (name, created) do update
     set known_sequence = greatest(s.known_sequence, excluded.known_sequence), truncated_at = now(),
       found_sequence = excluded.found_sequence
     where s.truncated_at is null`,
    [name, created, known, found],
  );
  return rowCount === 1;
}

/** The streams that were truncated. `inUse`: only those that are the present log of an organization. */
export async function listTruncated(
  tx: Queryable,
  { inUse }: { inUse: boolean },
): Promise<(TruncatedStream & { organizations: number })[]> {
  const { rows } = await tx.query<TruncatedStream & { organizations: number }>(
    `select s.name, s.created, s.known_sequence as known, s.found_sequence as found,
       count(p.organization_id)::integer as organizations
     from log_streams s
     left join log_placements p on p.stream = s.name and p.stream_created = s.created and p.until is null
     where s.truncated_at is not null
     group by s.name, s.created
     having not $1 or count(p.organization_id) > 0
     order by s.name, s.created`,
    [inUse],
  );
  return rows;
}

/** The organizations whose present log is in a truncated stream. */
export async function listInTruncated(tx: Queryable): Promise<string[]> {
  const { rows } = await tx.query<{ organization_id: string }>(
    `select p.organization_id
     from log_placements p
     join log_streams s on s.name = p.stream and s.created = p.stream_created
     where p.until is null and s.truncated_at is not null
     order by p.organization_id`,
  );
  return rows.map(({ organization_id }) => organization_id);
}
