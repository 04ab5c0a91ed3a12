import type { AccountUpdateMessage, SegmentRecord, UserUpdateMessage } from "@muster/protocol";
import type { ClientBase } from "pg";
import type { Settings } from "./settings.js";

/**
 * Every statement takes all its rows as one JSON text: one round trip, whatever their number. Of several messages about
 * one entity the last is the newest, and only that is written.
 */

export async function writeUsers(
  tx: ClientBase,
  { schema, exportsEvents }: Settings,
  messages: UserUpdateMessage[],
): Promise<void> {
  const latest = [...new Map(messages.map((message) => [message.user.id, message])).values()];
  const rows = latest.map(({ user, account }) => ({
    ...user,
    account_id: account.id ?? user.account_id,
    attributes: user,
  }));
  const written = await tx.query<{ id: string }>(
    `insert into ${schema}.users (id, external_id, email, account_id, attributes, updated_at)
     select id, external_id, email, account_id, attributes, updated_at
     from jsonb_to_recordset($1::jsonb) as row(
       id text, external_id text, email text, account_id text, attributes jsonb, updated_at timestamptz)
     on conflict (id) do update set
       external_id = excluded.external_id,
       email = excluded.email,
       account_id = excluded.account_id,
       attributes = excluded.attributes,
       updated_at = excluded.updated_at,
       exported_at = now()
     where users.updated_at is null or excluded.updated_at is null or excluded.updated_at >= users.updated_at
     returning id`,
    [toJson(rows)],
  );
  const memberships = latest.map(({ user, segment_ids }) => ({ id: user.id, segment_ids }));
  await writeMemberships(tx, schema, "user", keepWritten(memberships, written.rows));
  const events = messages.flatMap((message) => message.events);
  if (exportsEvents) await writeEvents(tx, schema, events);
}

export async function writeAccounts(
  tx: ClientBase,
  { schema }: Settings,
  messages: AccountUpdateMessage[],
): Promise<void> {
  const latest = [...new Map(messages.map((message) => [message.account.id, message])).values()];
  const rows = latest.map(({ account }) => ({ ...account, attributes: account }));
  const written = await tx.query<{ id: string }>(
    `insert into ${schema}.accounts (id, external_id, domain, name, attributes, updated_at)
     select id, external_id, domain, name, attributes, updated_at
     from jsonb_to_recordset($1::jsonb) as row(
       id text, external_id text, domain text, name text, attributes jsonb, updated_at timestamptz)
     on conflict (id) do update set
       external_id = excluded.external_id,
       domain = excluded.domain,
       name = excluded.name,
       attributes = excluded.attributes,
       updated_at = excluded.updated_at,
       exported_at = now()
     where accounts.updated_at is null or excluded.updated_at is null or excluded.updated_at >= accounts.updated_at
     returning id`,
    [toJson(rows)],
  );
  const memberships = latest.map(({ account, account_segment_ids }) => ({
    id: account.id,
    segment_ids: account_segment_ids,
  }));
  await writeMemberships(tx, schema, "account", keepWritten(memberships, written.rows));
}

export async function writeSegments(
  tx: ClientBase,
  { schema }: Settings,
  segments: readonly SegmentRecord[],
): Promise<void> {
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

export async function deleteSegments(tx: ClientBase, { schema }: Settings, ids: readonly string[]): Promise<void> {
  await tx.query(`delete from ${schema}.user_segments where segment_id = any($1)`, [ids]);
  await tx.query(`delete from ${schema}.account_segments where segment_id = any($1)`, [ids]);
  await tx.query(`delete from ${schema}.segments where id = any($1)`, [ids]);
}

export async function deleteUsers(tx: ClientBase, { schema }: Settings, ids: readonly string[]): Promise<void> {
  await tx.query(`delete from ${schema}.events where user_id = any($1)`, [ids]);
  await tx.query(`delete from ${schema}.user_segments where user_id = any($1)`, [ids]);
  await tx.query(`delete from ${schema}.users where id = any($1)`, [ids]);
}

export async function deleteAccounts(tx: ClientBase, { schema }: Settings, ids: readonly string[]): Promise<void> {
  await tx.query(`delete from ${schema}.account_segments where account_id = any($1)`, [ids]);
  await tx.query(`delete from ${schema}.accounts where id = any($1)`, [ids]);
}

async function writeEvents(tx: ClientBase, schema: string, events: UserUpdateMessage["events"]): Promise<void> {
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

/** An entity that is newer here than in the message is so with its memberships too. */
function keepWritten<Entity extends { id: string }>(entities: Entity[], written: readonly { id: string }[]): Entity[] {
  const ids = new Set(written.map(({ id }) => id));
  return entities.filter(({ id }) => ids.has(id));
}

async function writeMemberships(
  tx: ClientBase,
  schema: string,
  kind: "user" | "account",
  entities: readonly { id: string; segment_ids: readonly string[] }[],
): Promise<void> {
  const given = "jsonb_to_recordset($1::jsonb) as entity(id text, segment_ids text[])";
  await tx.query(
    `delete from ${schema}.${kind}_segments as membership using ${given}
     where membership.${kind}_id = entity.id and membership.segment_id <> all(entity.segment_ids)`,
    [toJson(entities)],
  );
  await tx.query(
    `insert into ${schema}.${kind}_segments (${kind}_id, segment_id)
     select entity.id, unnest(entity.segment_ids) from ${given}
     on conflict do nothing`,
    [toJson(entities)],
  );
}

/** No database keeps a NUL; attributes of users may hold one as an escape. */
function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows).replace(/(?<!\\)((?:\\\\)*)\\u0000/g, "$1");
}
