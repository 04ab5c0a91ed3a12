import type { ChangedDefinition } from "../../../domain/events/event-definitions.js";
import type { Queryable } from "../database.js";

/** The definitions of the events with the given names, as far as they exist. */
export async function readEventDefinitions(
  database: Queryable,
  organizationId: string,
  names: readonly string[],
): Promise<{ name: string; properties: Record<string, string> }[]> {
  if (names.length === 0) return [];
  const { rows } = await database.query<{ name: string; properties: Record<string, string> }>(
    `select name, properties
     from event_definitions
     where organization_id = $1 and name = any($2::text[])`,
    [organizationId, names],
  );
  return rows;
}

/** The name of an event that has occurred, and the types of its properties. */
export interface EventDefinitionRow {
  name: string;
  properties: Record<string, string>;
  createdAt: Date;
  updatedAt: Date;
}

// The definitions, and the given ones that are not among them.
const LISTED = `(
  select name, properties, created_at, updated_at
  from event_definitions
  where organization_id = $1
  union all
  select name, properties::jsonb, created_at, updated_at
  from unnest($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[]) as r (name, properties, created_at, updated_at)
  where not exists (select from event_definitions d where d.organization_id = $1 and d.name = r.name)
) listed
where not exists (
  select from event_plans p
  where p.organization_id = $1 and p.name = listed.name and (p.hidden or p.merged_into is not null)
)`;

/** A page of the event names in alphabetical order, or all of them, without hidden and merged ones. `others` are listed too unless they are defined. */
export async function listEventDefinitions(
  database: Queryable,
  organizationId: string,
  others: readonly EventDefinitionRow[],
  page?: { limit: number; offset: number },
): Promise<{ total: number; definitions: EventDefinitionRow[] }> {
  const values = [
    organizationId,
    others.map(({ name }) => name),
    others.map(({ properties }) => JSON.stringify(properties)),
    others.map(({ createdAt }) => createdAt),
    others.map(({ updatedAt }) => updatedAt),
  ];
  const [counted, { rows }] = await Promise.all([
    database.query<{ total: number }>(`select count(*)::integer as total from ${LISTED}`, values),
    database.query<EventDefinitionRow>(
      `select name, properties, created_at as "createdAt", updated_at as "updatedAt"
       from ${LISTED}
       order by name collate "C"
       limit $6 offset $7`,
      [...values, page?.limit ?? null, page?.offset ?? 0],
    ),
  ]);
  return { total: counted.rows[0]?.total ?? 0, definitions: rows };
}

export async function saveEventDefinitions(
  database: Queryable,
  organizationId: string,
  definitions: readonly ChangedDefinition[],
): Promise<void> {
  if (definitions.length === 0) return;
  await database.query(
    `insert into event_definitions (organization_id, name, properties, by_end_user)
     select $1, name, properties::jsonb, by_end_user
     from unnest($2::text[], $3::text[], $4::boolean[]) as r (name, properties, by_end_user)
     on conflict (organization_id, name) do update
     set properties = event_definitions.properties || excluded.properties, updated_at = now()`,
    [
      organizationId,
      definitions.map(({ name }) => name),
      definitions.map(({ properties }) => JSON.stringify(properties)),
      definitions.map(({ byEndUser }) => byEndUser),
    ],
  );
}
