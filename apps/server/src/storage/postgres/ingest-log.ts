import type { Entry } from "../../domain/entry.js";
import { LANES, type Lane, type LanePositions } from "../../domain/lanes.js";
import type { Queryable, Transaction } from "./database.js";
import { pack, unpack } from "./packing.js";

/** A batch that is ready to be appended. */
export interface LogBatch {
  connectorId: string;
  receivedAt: Date;
  /** What tells the batch from others; one without is never taken for a repetition. */
  digest: Buffer | undefined;
  lanes: { lane: Lane; entryCount: number; payload: Buffer }[];
  /** Prints the answer, once the positions are known. */
  answer(positions: LanePositions): string;
}

export interface Receipt {
  answer: string;
  duplicate: boolean;
}

export async function packEntries(entries: Entry[]): Promise<Buffer> {
  return pack(entries);
}

/**
 * Appends batches of one organization in one transaction. The head rows are locked first, which puts the commits of
 * all processes in order: positions have no gaps, and a batch seen before gets its first answer again.
 */
export async function appendBatches(
  tx: Transaction,
  organizationId: string,
  batches: readonly LogBatch[],
): Promise<Receipt[]> {
  const heads = await lockHeads(tx, organizationId);
  const known = await readReceipts(tx, organizationId, batches);
  const rows: LogRow[] = [];
  const answers: { digest: Buffer; answer: string; receivedAt: Date }[] = [];

  const receipts = batches.map((batch): Receipt => {
    const key = batch.digest?.toString("hex") ?? "";
    const present = known.get(key);
    if (present !== undefined) return { answer: present, duplicate: true };
    const positions: LanePositions = {};
    for (const { lane, entryCount, payload } of batch.lanes) {
      const head = heads[lane];
      head.position += 1;
      head.entries += entryCount;
      positions[lane] = head.position;
      rows.push({ lane, position: head.position, batch, entryCount, payload });
    }
    const answer = batch.answer(positions);
    if (batch.digest) {
      known.set(key, answer);
      answers.push({ digest: batch.digest, answer, receivedAt: batch.receivedAt });
    }
    return { answer, duplicate: false };
  });
  if (rows.length > 0) await insertRows(tx, organizationId, rows, heads);
  if (answers.length > 0) await insertReceipts(tx, organizationId, answers);
  return receipts;
}

interface LogRow {
  lane: Lane;
  position: number;
  batch: LogBatch;
  entryCount: number;
  payload: Buffer;
}

async function insertRows(
  tx: Transaction,
  organizationId: string,
  rows: readonly LogRow[],
  heads: Heads,
): Promise<void> {
  await tx.query(
    `insert into ingest_log (organization_id, lane, position, received_at, connector_id, entry_count, payload)
     select $1, lane, position, received_at, connector_id, entry_count, payload
     from unnest($2::"char"[], $3::bigint[], $4::timestamptz[], $5::text[], $6::integer[], $7::bytea[])
       as r (lane, position, received_at, connector_id, entry_count, payload)`,
    [
      organizationId,
      rows.map(({ lane }) => lane),
      rows.map(({ position }) => position),
      rows.map(({ batch }) => batch.receivedAt),
      rows.map(({ batch }) => batch.connectorId),
      rows.map(({ entryCount }) => entryCount),
      rows.map(({ payload }) => payload),
    ],
  );
  await tx.query(
    `update log_heads h
     set position = r.position, entries = r.entries
     from unnest($2::"char"[], $3::bigint[], $4::bigint[]) as r (lane, position, entries)
     where h.organization_id = $1 and h.lane = r.lane`,
    [organizationId, LANES, LANES.map((lane) => heads[lane].position), LANES.map((lane) => heads[lane].entries)],
  );
}

async function insertReceipts(
  tx: Transaction,
  organizationId: string,
  answers: readonly { digest: Buffer; answer: string; receivedAt: Date }[],
): Promise<void> {
  await tx.query(
    `insert into ingest_receipts (organization_id, digest, answer, received_at)
     select $1, digest, answer, received_at
     from unnest($2::bytea[], $3::text[], $4::timestamptz[]) as r (digest, answer, received_at)`,
    [
      organizationId,
      answers.map(({ digest }) => digest),
      answers.map(({ answer }) => answer),
      answers.map(({ receivedAt }) => receivedAt),
    ],
  );
}

type Heads = Record<Lane, { position: number; entries: number }>;

async function lockHeads(tx: Transaction, organizationId: string): Promise<Heads> {
  const select = `select lane, position, entries
     from log_heads
     where organization_id = $1
     order by lane
     for update`;
  let { rows } = await tx.query<{ lane: Lane; position: number; entries: number }>(select, [organizationId]);
  if (rows.length < LANES.length) {
    await tx.query(
      `insert into log_heads (organization_id, lane)
       select $1, unnest($2::"char"[])
       on conflict do nothing`,
      [organizationId, LANES],
    );
    ({ rows } = await tx.query<{ lane: Lane; position: number; entries: number }>(select, [organizationId]));
  }
  return Object.fromEntries(rows.map(({ lane, position, entries }) => [lane, { position, entries }])) as Heads;
}

async function readReceipts(
  tx: Transaction,
  organizationId: string,
  batches: readonly LogBatch[],
): Promise<Map<string, string>> {
  const { rows } = await tx.query<{ digest: Buffer; answer: string }>(
    `select digest, answer
     from ingest_receipts
     where organization_id = $1 and digest = any($2::bytea[])`,
    [organizationId, batches.flatMap(({ digest }) => (digest ? [digest] : []))],
  );
  return new Map(rows.map(({ digest, answer }) => [digest.toString("hex"), answer]));
}

/** The last position appended to each lane. */
export async function readHeads(tx: Queryable, organizationId: string): Promise<LanePositions> {
  const { rows } = await tx.query<{ lane: Lane; position: number }>(
    "select lane, position from log_heads where organization_id = $1",
    [organizationId],
  );
  return Object.fromEntries(rows.map(({ lane, position }) => [lane, position]));
}

export interface LoggedBatch {
  position: number;
  receivedAt: Date;
  entries: Entry[];
}

/** The next batches of a lane after a position, until they hold `maxEntries`. At least one, when there is one. */
export async function readBatches(
  tx: Queryable,
  organizationId: string,
  lane: Lane,
  after: { position: number; receivedAt: Date | number },
  maxEntries: number,
): Promise<LoggedBatch[]> {
  // Appended in order, so nothing after the cursor was received much before it: an hour allows for clocks of several
  // processes, and lets PostgreSQL skip the partitions of the days before.
  const { rows } = await tx.query<{ position: number; received_at: Date; payload: Buffer }>(
    `select position, received_at, payload
     from (
       select position, received_at, payload, sum(entry_count) over (order by position) - entry_count as before
       from ingest_log
       where organization_id = $1 and lane = $2 and position > $3 and position <= $3 + 500
         and received_at >= $4::timestamptz - interval '1 hour'
     ) next
     where before < $5
     order by position`,
    [organizationId, lane, after.position, after.receivedAt, maxEntries],
  );
  return Promise.all(
    rows.map(async ({ position, received_at, payload }) => ({
      position,
      receivedAt: received_at,
      entries: await unpack<Entry[]>(payload),
    })),
  );
}
