import type { Database, Queryable } from "../database.js";

/** How many rows one step removes at most. */
const ROWS_PER_STEP = 5_000;

/**
 * The tables with rows of organizations, partitions included. They are read from the catalogue, so that no table is
 * forgotten. Tables that others refer to come last: removing one of their rows removes all that refer to it.
 */
export async function listOrganizationTables(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select c.oid::regclass::text as name
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
     where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
     order by exists (select from pg_constraint f where f.contype = 'f' and f.confrelid = c.oid), c.relname`,
  );
  return rows.map(({ name }) => name);
}

/** Removes the next rows of an organization from a table. Returns how many, and whether there may be more. */
export async function removeOrganizationRows(
  database: Queryable,
  table: string,
  organizationId: string,
): Promise<{ removed: number; isDone: boolean }> {
  // A place (ctid) is a safe name for a row here, because the row is locked from the look to the removal.
  const { rowCount } = await database.query(
    `delete from ${table}
     where ctid = any(array(
       select ctid from ${table} where organization_id = $1 limit ${ROWS_PER_STEP} for update
     ))`,
    [organizationId],
  );
  const removed = rowCount ?? 0;
  return { removed, isDone: removed < ROWS_PER_STEP };
}

/** Removes the row of a deleted organization itself, when nothing else of it is left. */
export async function removeOrganization(database: Database, organizationId: string): Promise<void> {
  await database.query("delete from organizations where id = $1 and deleted_at is not null", [organizationId]);
}
