import type { NameKind, NewNames, StoredNames, WaitingName } from "../../../domain/apply/new-names.js";
import type { Queryable } from "../database.js";

/** What is stored of today's counters, and of names that may be waiting. */
export async function readStoredNames(
  database: Queryable,
  organizationId: string,
  day: Date,
  { counters, names }: { counters: Iterable<string>; names: readonly Pick<WaitingName, "kind" | "name">[] },
): Promise<StoredNames> {
  const [counted, waiting] = await Promise.all([
    database.query<{ counter: string; names: number }>(
      `select counter, names
       from new_name_counts
       where organization_id = $1 and day = $2 and counter = any($3::text[])`,
      [organizationId, day, [...counters]],
    ),
    database.query<WaitingName>(
      `select w.kind, w.name, w.type, w.senders
       from waiting_names w
       join unnest($2::text[], $3::text[]) as r (kind, name) on r.kind = w.kind and r.name = w.name
       where w.organization_id = $1`,
      [organizationId, names.map(({ kind }) => kind), names.map(({ name }) => name)],
    ),
  ]);
  return { counts: new Map(counted.rows.map((row) => [row.counter, row.names])), waiting: waiting.rows };
}

/** A flood of names must not fill the table: those that the fewest senders have sent make room, the oldest first. */
const MAX_WAITING = 1_000;

/** Stores what micro-batches have counted, and which names wait. */
export async function saveNewNames(
  database: Queryable,
  organizationId: string,
  day: Date,
  { counted, waiting, defined }: ReturnType<NewNames["changes"]>,
): Promise<void> {
  if (counted.size > 0) {
    await database.query(
      `insert into new_name_counts as c (organization_id, day, counter, names)
       select $1, $2, counter, names
       from unnest($3::text[], $4::integer[]) as r (counter, names)
       on conflict (organization_id, day, counter) do update set names = c.names + excluded.names`,
      [organizationId, day, [...counted.keys()], [...counted.values()]],
    );
  }
  for (const { kind, name } of defined) await removeWaitingName(database, organizationId, kind, name);
  if (waiting.length === 0) return;
  await database.query(
    `insert into waiting_names as w (organization_id, kind, name, type, senders)
     select $1, kind, name, type, array(select jsonb_array_elements_text(senders::jsonb))
     from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as r (kind, name, type, senders)
     on conflict (organization_id, kind, name) do update
     set senders = excluded.senders, last_at = now()`,
    [
      organizationId,
      waiting.map(({ kind }) => kind),
      waiting.map(({ name }) => name),
      waiting.map(({ type }) => type),
      waiting.map(({ senders }) => JSON.stringify(senders)),
    ],
  );
  await database.query(
    `delete from waiting_names
     where organization_id = $1 and (kind, name) in (
       select kind, name
       from waiting_names
       where organization_id = $1
       order by cardinality(senders) desc, last_at desc, name
       offset $2
     )`,
    [organizationId, MAX_WAITING],
  );
}

/** Forgets that a name waits: it is defined. */
export async function removeWaitingName(
  database: Queryable,
  organizationId: string,
  kind: NameKind,
  name: string,
): Promise<void> {
  await database.query("delete from waiting_names where organization_id = $1 and kind = $2 and name = $3", [
    organizationId,
    kind,
    name,
  ]);
}

export interface WaitingNameRow {
  name: string;
  type: string;
  senders: number;
  firstAt: Date;
  lastAt: Date;
}

/** The attributes that end users sent and could not define. Those that most senders have sent come first. */
export async function listWaitingNames(
  database: Queryable,
  organizationId: string,
  kind: NameKind,
  limit: number,
): Promise<WaitingNameRow[]> {
  const { rows } = await database.query<WaitingNameRow>(
    `select w.name, w.type, cardinality(w.senders) as senders, w.first_at as "firstAt", w.last_at as "lastAt"
     from waiting_names w
     where w.organization_id = $1 and w.kind = $2
       and not exists (
         select
         from attribute_definitions d
         where d.organization_id = $1 and d.subject_type = $2 and d.name = w.name
       )
     order by cardinality(w.senders) desc, w.last_at desc, w.name
     limit $3`,
    [organizationId, kind, limit],
  );
  return rows;
}

/** How many attributes and how many event names wait. */
export async function countWaitingNames(
  database: Queryable,
  organizationId: string,
): Promise<{ attributes: number; events: number }> {
  const { rows } = await database.query<{ attributes: number; events: number }>(
    `select
       count(*) filter (where w.kind <> 'event' and d.name is null)::integer as attributes,
       count(*) filter (where w.kind = 'event' and e.name is null)::integer as events
     from waiting_names w
     left join attribute_definitions d
       on d.organization_id = w.organization_id and d.subject_type = w.kind and d.name = w.name
     left join event_definitions e on e.organization_id = w.organization_id and e.name = w.name
     where w.organization_id = $1`,
    [organizationId],
  );
  return rows[0] ?? { attributes: 0, events: 0 };
}
