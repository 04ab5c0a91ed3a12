import type { Queryable, Transaction } from "../database.js";

/** A rebuild of an organization's data in the question engine that was requested through the API. */
export interface Rebuild {
  requestedAt: Date;
  finishedAt: Date | null;
}

/** Requests a rebuild by setting a new generation. A rebuild that is already running starts again. */
export async function requestRebuild(tx: Transaction, organizationId: string): Promise<void> {
  await renewGeneration(tx, organizationId);
  await tx.query(
    `insert into rebuilds (organization_id)
     values ($1)
     on conflict (organization_id) do update
     set requested_at = now(), finished_at = null`,
    [organizationId],
  );
}

/** Sets a new generation, which makes all data of the organization in the question engine invalid. */
export async function renewGeneration(database: Queryable, organizationId: string): Promise<void> {
  await database.query(
    `insert into project_cursors (organization_id)
     values ($1)
     on conflict (organization_id) do update
     set generation = gen_random_uuid()::text`,
    [organizationId],
  );
}

export async function findRebuild(database: Queryable, organizationId: string): Promise<Rebuild | undefined> {
  const { rows } = await database.query<Rebuild>(
    `select requested_at as "requestedAt", finished_at as "finishedAt"
     from rebuilds
     where organization_id = $1`,
    [organizationId],
  );
  return rows[0];
}

/** Organizations whose rebuild was requested and is not finished. */
export async function organizationsToRebuild(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ organization_id: string }>(
    "select organization_id from rebuilds where finished_at is null",
  );
  return rows.map(({ organization_id }) => organization_id);
}

/** Marks the requested rebuild, if there is one, as finished. */
export async function finishRebuild(database: Queryable, organizationId: string): Promise<void> {
  await database.query("update rebuilds set finished_at = now() where organization_id = $1 and finished_at is null", [
    organizationId,
  ]);
}
