import type { LanePositions } from "../../../domain/entries/lanes.js";
import type { Queryable, Transaction } from "../../postgres/database.js";
import type { BatchReceipt, PartReceipts, ReadPart } from "../part-receipts.js";

// The number of parts, beside their names in the same object. No part has this name.
const COUNT = "count";

/** The receipts of an organization in a transaction, for a log outside PostgreSQL. */
export function receiptsIn(tx: Transaction, organizationId: string): PartReceipts {
  return {
    read: (digests) => readReceipts(tx, organizationId, digests),
    note: (parts) => noteParts(tx, organizationId, parts),
  };
}

/** The receipts of batches, by their digests in hexadecimal. */
export async function readReceipts(
  tx: Queryable,
  organizationId: string,
  digests: readonly Buffer[],
): Promise<Map<string, BatchReceipt>> {
  if (digests.length === 0) return new Map();
  const { rows } = await tx.query<ReceiptRow>(
    `select digest, positions, answer, parts
     from ingest_receipts
     where organization_id = $1 and digest = any($2::bytea[])`,
    [organizationId, digests],
  );
  return receiptsOf(rows);
}

export interface ReceiptRow {
  digest: Buffer;
  positions: LanePositions;
  answer: string;
  parts: Record<string, number> | null;
}

export function receiptsOf(rows: readonly ReceiptRow[]): Map<string, BatchReceipt> {
  return new Map(
    rows.map(({ digest, positions, answer, parts }) => {
      const { [COUNT]: count = 0, ...read } = parts ?? {};
      const isWhole = parts === null || (count > 0 && Object.keys(read).length >= count);
      const known = parts === null ? undefined : new Map(Object.entries(read));
      return [digest.toString("hex"), { positions, answer, isWhole, parts: known }];
    }),
  );
}

/** Notes parts that were read, so that a copy of theirs is recognised. */
async function noteParts(tx: Transaction, organizationId: string, parts: readonly ReadPart[]): Promise<void> {
  const batches = new Map<string, { part: ReadPart; positions: LanePositions; read: Record<string, number> }>();
  for (const part of parts) {
    const key = part.digest.toString("hex");
    const batch = batches.get(key) ?? { part, positions: {}, read: { [COUNT]: part.partCount } };
    batch.positions[part.lane] = part.position;
    batch.read[part.part] = part.position;
    if (part.answer !== "") batch.part = part;
    batches.set(key, batch);
  }
  if (batches.size === 0) return;
  const rows = [...batches.values()];
  await tx.query(
    `insert into ingest_receipts as r (organization_id, digest, positions, answer, received_at, parts)
     select $1, g.digest, g.positions, g.answer, g.received_at, g.parts
     from unnest($2::bytea[], $3::jsonb[], $4::text[], $5::timestamptz[], $6::jsonb[])
       as g (digest, positions, answer, received_at, parts)
     on conflict (organization_id, digest) do update
     set positions = r.positions || excluded.positions,
       answer = case when excluded.answer = '' then r.answer else excluded.answer end,
       parts = coalesce(r.parts, '{}') || excluded.parts`,
    [
      organizationId,
      rows.map(({ part }) => part.digest),
      rows.map(({ positions }) => JSON.stringify(positions)),
      rows.map(({ part }) => part.answer),
      rows.map(({ part }) => part.receivedAt),
      rows.map(({ read }) => JSON.stringify(read)),
    ],
  );
}

// Longer than a batch takes from its first part to its last one.
const RECENT_MINUTES = 10;

/**
 * Deletes the receipts of incomplete batches: of those that wait, and of those that were read lately. Returns the digests of
 * those that wait, in hexadecimal.
 */
export async function forgetCutBatches(
  tx: Transaction,
  organizationId: string,
  waiting: readonly ReadPart[],
): Promise<Set<string>> {
  const known = await readReceipts(
    tx,
    organizationId,
    waiting.map(({ digest }) => digest),
  );
  const names = new Map<string, Set<string>>();
  for (const { digest, part } of waiting) {
    const key = digest.toString("hex");
    names.set(key, (names.get(key) ?? new Set(known.get(key)?.parts?.keys() ?? [])).add(part));
  }
  const isCut = ({ digest, partCount }: ReadPart) => (names.get(digest.toString("hex"))?.size ?? 0) < partCount;
  const cut = new Set(waiting.filter(isCut).map(({ digest }) => digest.toString("hex")));
  const whole = waiting.filter((part) => !isCut(part)).map(({ digest }) => digest);
  await tx.query(
    `delete from ingest_receipts
     where organization_id = $1 and digest <> all($2::bytea[])
       and received_at > now() - $3 * interval '1 minute'
       and (parts ->> '${COUNT}')::integer >= (select count(*) from jsonb_object_keys(parts))`,
    [organizationId, whole, RECENT_MINUTES],
  );
  return cut;
}

/** Notes batches that are in a log which the organization leaves. They are known from now on, and are still to be read. */
export async function carryReceipts(
  tx: Transaction,
  organizationId: string,
  parts: readonly ReadPart[],
): Promise<void> {
  for (const { digest, lane, position, receivedAt, answer } of parts) {
    await tx.query(
      `insert into ingest_receipts as r (organization_id, digest, positions, answer, received_at, parts)
       values ($1, $2, jsonb_build_object($3::text, $4::bigint), $5, $6, '{}')
       on conflict (organization_id, digest) do update
       set positions = excluded.positions || r.positions,
         answer = case when r.answer = '' then excluded.answer else r.answer end`,
      [organizationId, digest, lane, position, answer, receivedAt],
    );
  }
}
