import type { UserUpdateMessage } from "@muster/protocol";
import type { ClientBase } from "pg";
import { toJson } from "./to-json.js";

/** Writes events. One that was written before is replaced. */
export async function writeEvents(tx: ClientBase, schema: string, events: UserUpdateMessage["events"]): Promise<void> {
  const rows = new Map(events.map((event) => [JSON.stringify([event.user_id, event.event_id]), event]));
  if (rows.size === 0) return;
  await tx.query(
    `insert into ${schema}.events (user_id, event_id, event, source, type, created_at, session_id, properties, context)
     select user_id, event_id, event, event_source, event_type, created_at, session_id,
       coalesce(properties, '{}'), coalesce(context, '{}')
     from jsonb_to_recordset($1::jsonb) as row(
       user_id text, event_id text, event text, event_source text, event_type text, created_at timestamptz,
       session_id text, properties jsonb, context jsonb)
     on conflict (user_id, event_id) do update set
       event = excluded.event,
       source = excluded.source,
       type = excluded.type,
       created_at = excluded.created_at,
       session_id = excluded.session_id,
       properties = excluded.properties,
       context = excluded.context`,
    [toJson([...rows.values()])],
  );
}
