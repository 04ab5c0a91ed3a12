import type { Lane, LanePositions } from "../../../domain/entries/lanes.js";
import { decompressedSize } from "../../logs/compression.js";
import { LogGap } from "../../logs/log-gap.js";
import { type Database, isDeadlock, isUniqueViolation, type Queryable } from "../../postgres/database.js";
import { withPartitions } from "../../postgres/partitions.js";
import type { BatchLimits, LogBatch, LoggedBatch, Receipt } from "../log-batch.js";
import { LogRelocated } from "./log-relocated.js";

/**
 * A whole append as one statement, so that a sender waits for one round trip to the database instead of seven. The head
 * rows are written first. Their locks put the commits of all processes in order, so that positions have no gaps.
 */
const APPEND = `
  with given as (
    select *
    from unnest($2::integer[], $3::bytea[], $4::timestamptz[], $5::text[], $6::text[])
      as g (batch, digest, received_at, connector_id, answer)
  ), known as (
    select g.batch, r.positions, r.answer
    from given g
    join ingest_receipts r on r.organization_id = $1 and r.digest = g.digest
  ), parts as (
    select p.*, row_number() over (partition by p.lane order by p.part) as ordinal
    from unnest($7::integer[], $8::"char"[], $9::integer[], $10::integer[], $11::integer[]) with ordinality
      as p (batch, lane, entry_count, start, size, part)
    where p.batch not in (select batch from known)
  ), added as (
    select lane, count(*) as parts, sum(entry_count) as entries from parts group by lane
  ), heads as (
    insert into log_heads (organization_id, lane, position, entries)
    select $1, lane, parts, entries from added order by lane
    on conflict (organization_id, lane) do update
    set position = log_heads.position + excluded.position, entries = log_heads.entries + excluded.entries
    -- Looked at in the newest version of the row, after waiting for a transaction that moves the log.
    where not log_heads.is_elsewhere
    returning lane, position
  ), placed as (
    select p.*, h.position - a.parts + p.ordinal as position
    from parts p
    join added a using (lane)
    join heads h using (lane)
  ), logged as (
    insert into ingest_log (organization_id, lane, position, received_at, connector_id, entry_count, payload)
    select $1, p.lane, p.position, g.received_at, g.connector_id, p.entry_count,
      substring($12::bytea from p.start for p.size)
    from placed p
    join given g using (batch)
  ), counted as (
    insert into intake_figures as f (organization_id, at, entries)
    select $1, date_bin('10 seconds', g.received_at, 'epoch'), sum(p.entry_count)
    from placed p
    join given g using (batch)
    group by 2
    order by 2
    on conflict (organization_id, at) do update
    set entries = f.entries + excluded.entries
  ), answered as (
    select batch, jsonb_object_agg(lane, position) as positions
    from (select batch, lane, max(position) as position from placed group by batch, lane) last
    group by batch
  ), noted as (
    insert into ingest_receipts (organization_id, digest, positions, answer, received_at)
    select $1, g.digest, a.positions, g.answer, g.received_at
    from answered a
    join given g using (batch)
    where g.digest is not null
  )
  select batch, positions, null as answer from answered
  union all
  select batch, positions, answer from known`;

/**
 * Appends batches of one organization. A batch that was received before gets its first answer again. The first one may
 * be in the same call, in the table, or being appended by another process at this moment, in which case the insert of
 * the receipt fails and is tried again.
 */
export async function appendBatches(
  database: Database,
  organizationId: string,
  batches: readonly LogBatch[],
): Promise<Receipt[]> {
  const firsts = new Map<string, number>();
  const firstOf = batches.map(({ digest }, index) => {
    const key = digest?.toString("latin1") ?? index.toString();
    const first = firsts.get(key) ?? index;
    firsts.set(key, first);
    return first;
  });
  const fresh = batches.flatMap((batch, index) => (firstOf[index] === index ? [{ batch, index }] : []));
  const answered = new Map((await append(database, organizationId, fresh)).map((row) => [row.batch, row]));
  return batches.map(({ answer }, index) => {
    const first = firstOf[index]!;
    const row = answered.get(first);
    if (!row) throw new LogRelocated(organizationId);
    const isKnown = row.answer !== null;
    return {
      positions: row.positions,
      answer: row.answer ?? batches[first]?.answer ?? answer,
      duplicate: isKnown || first !== index,
      isDense: true,
    };
  });
}

interface AppendedRow {
  batch: number;
  positions: LanePositions;
  /** The first answer to the batch, if it was received before. */
  answer: string | null;
}

const ATTEMPTS = 3;

async function append(
  database: Database,
  organizationId: string,
  fresh: readonly { batch: LogBatch; index: number }[],
): Promise<AppendedRow[]> {
  const parts = fresh.flatMap(({ batch, index }) => batch.parts.map((part) => ({ ...part, index })));
  const starts: number[] = [];
  // PostgreSQL counts bytes from 1.
  let start = 1;
  for (const { payload } of parts) {
    starts.push(start);
    start += payload.length;
  }
  const values = [
    organizationId,
    fresh.map(({ index }) => index),
    fresh.map(({ batch }) => batch.digest ?? null),
    fresh.map(({ batch }) => batch.receivedAt),
    fresh.map(({ batch }) => batch.connectorId),
    fresh.map(({ batch }) => batch.answer),
    parts.map(({ index }) => index),
    parts.map(({ lane }) => lane),
    parts.map(({ entryCount }) => entryCount),
    starts,
    parts.map(({ payload }) => payload.length),
    // A single bytea value is sent as binary. In an array, each value would be sent as hexadecimal text.
    Buffer.concat(parts.map(({ payload }) => payload)),
  ];
  const insert = () => database.prepared<AppendedRow>(APPEND, values);
  const times = fresh.map(({ batch }) => batch.receivedAt);
  for (let attempt = 1; ; attempt++) {
    try {
      return (await withPartitions(database, insert, times)).rows;
    } catch (error) {
      if (attempt === ATTEMPTS || !(isUniqueViolation(error) || isDeadlock(error))) throw error;
    }
  }
}

/** The last position appended to each lane. */
export async function readHeads(tx: Queryable, organizationId: string): Promise<LanePositions> {
  const { rows } = await tx.query<{ lane: Lane; position: number }>(
    "select lane, position from log_heads where organization_id = $1",
    [organizationId],
  );
  return Object.fromEntries(rows.map(({ lane, position }) => [lane, position]));
}

/** How many entries the batches of a lane after a position have. */
export async function countEntriesAfter(
  tx: Queryable,
  organizationId: string,
  lane: Lane,
  position: number,
): Promise<number> {
  const { rows } = await tx.query<{ entries: number }>(
    `select coalesce(sum(entry_count), 0)::bigint as entries
     from ingest_log
     where organization_id = $1 and lane = $2 and position > $3`,
    [organizationId, lane, position],
  );
  return rows[0]?.entries ?? 0;
}

/**
 * The next batches of a lane after a position, up to `maxEntries` entries and `maxBytes` of payload, and at least one.
 * Must be called only when there is one. The positions alone decide which batches come next.
 */
export async function readBatches(
  tx: Queryable,
  organizationId: string,
  lane: Lane,
  after: { position: number; receivedAt: Date | number },
  limits: BatchLimits,
): Promise<LoggedBatch[]> {
  const near = await readSince(tx, organizationId, lane, after, limits);
  if (near.length > 0) return near;
  // The clock has stepped back since the batch at the cursor, or the clocks of two processes differ.
  const all = await readSince(tx, organizationId, lane, { ...after, receivedAt: Number.NEGATIVE_INFINITY }, limits);
  if (all.length === 0) throw new LogGap(`the ingestion log, lane ${lane},`, after.position + 1);
  return all;
}

/**
 * The batches that follow a position without a gap. The condition on the time lets PostgreSQL skip the partitions of
 * earlier days. It can hide batches whose time comes from a clock that was behind.
 */
async function readSince(
  tx: Queryable,
  organizationId: string,
  lane: Lane,
  after: { position: number; receivedAt: Date | number },
  { maxEntries, maxBytes }: BatchLimits,
): Promise<LoggedBatch[]> {
  const { rows } = await tx.query<{ position: number; received_at: Date; entry_count: number; payload: Buffer }>(
    `select position, received_at, entry_count, payload
     from (
       select position, received_at, entry_count, payload, sum(entry_count) over (order by position) - entry_count as before,
         sum(octet_length(payload)) over (order by position) - octet_length(payload) as bytes_before
       from ingest_log
       where organization_id = $1 and lane = $2 and position > $3 and position <= $3 + 500
         and received_at >= $4::timestamptz - interval '1 hour'
     ) next
     where before < $5 and bytes_before < $6
     order by position`,
    // Payloads are compressed, and at least several times as large when they are decompressed.
    [organizationId, lane, after.position, after.receivedAt, maxEntries, Math.ceil(maxBytes / 4)],
  );
  const batches: LoggedBatch[] = [];
  let bytes = 0;
  for (const [index, { position, received_at, entry_count, payload }] of rows.entries()) {
    if (bytes > maxBytes || position !== after.position + 1 + index) break;
    const size = decompressedSize(payload);
    bytes += size;
    batches.push({ position, receivedAt: received_at, entryCount: entry_count, payload, bytes: size });
  }
  return batches;
}
