import type { ChangeSet } from "../../../domain/changes/change-set.js";
import type { Queryable, Transaction } from "../database.js";
import { decompressChange } from "./decompress-change.js";

/** Keeps which connectors and jobs have notes in a change. */
export async function saveChangeWriters(
  tx: Transaction,
  organizationId: string,
  sequence: number,
  writers: readonly string[],
): Promise<void> {
  if (writers.length === 0) return;
  await tx.query(
    `insert into change_writers (organization_id, writer, sequence)
     select $1, writer, $2
     from unnest($3::text[]) as writer`,
    [organizationId, sequence, writers],
  );
}

/** Which changes of a writer: all, or those from a time until another. */
export interface WriterRange {
  writer: string;
  from: Date | null;
  to: Date | null;
}

/** The last change of a writer before a sequence; undefined when there is none. */
export async function readChangeBefore(
  database: Queryable,
  organizationId: string,
  { writer, from, to }: WriterRange,
  before: number,
): Promise<{ sequence: number; change: ChangeSet } | undefined> {
  const { rows } = await database.query<{ sequence: number; payload: Buffer }>(
    `select c.sequence, c.payload
     from change_writers w
     join changes c on c.organization_id = w.organization_id and c.sequence = w.sequence
     where w.organization_id = $1 and w.writer = $2 and w.sequence < $5
       and ($3::timestamptz is null or w.written_at >= $3) and ($4::timestamptz is null or w.written_at <= $4)
     order by w.sequence desc
     limit 1`,
    [organizationId, writer, from, to, before],
  );
  const [row] = rows;
  return row && { sequence: row.sequence, change: decompressChange(row.payload) };
}

/** A change by its sequence. */
export async function readChange(
  database: Queryable,
  organizationId: string,
  sequence: number,
): Promise<ChangeSet | undefined> {
  const { rows } = await database.query<{ payload: Buffer }>(
    "select payload from changes where organization_id = $1 and sequence = $2",
    [organizationId, sequence],
  );
  return rows[0] && decompressChange(rows[0].payload);
}

/** Since when writes are noted: since the server was upgraded to a version that does. */
export async function readNotedSince(database: Queryable): Promise<Date> {
  const { rows } = await database.query<{ applied_at: Date }>(
    "select applied_at from migrations where name = '0062-undo.sql'",
  );
  return rows[0]?.applied_at ?? new Date(0);
}
