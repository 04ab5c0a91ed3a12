import type { SegmentRecord } from "@muster/protocol";
import type { ClientBase } from "pg";
import { toJson } from "./to-json.js";

/** Writes segments. When there are several records of one segment, only the last is written. */
export async function writeSegments(tx: ClientBase, schema: string, segments: readonly SegmentRecord[]): Promise<void> {
  const latest = [...new Map(segments.map((segment) => [segment.id, segment])).values()];
  await tx.query(
    `insert into ${schema}.segments (id, name, type, query, updated_at)
     select id, name, type, query, updated_at
     from jsonb_to_recordset($1::jsonb) as row(id text, name text, type text, query jsonb, updated_at timestamptz)
     on conflict (id) do update set
       name = excluded.name, query = excluded.query, updated_at = excluded.updated_at`,
    [toJson(latest)],
  );
}

/** Deletes segments and the memberships in them. */
export async function deleteSegments(tx: ClientBase, schema: string, ids: readonly string[]): Promise<void> {
  await tx.query(`delete from ${schema}.user_segments where segment_id = any($1)`, [ids]);
  await tx.query(`delete from ${schema}.account_segments where segment_id = any($1)`, [ids]);
  await tx.query(`delete from ${schema}.segments where id = any($1)`, [ids]);
}
