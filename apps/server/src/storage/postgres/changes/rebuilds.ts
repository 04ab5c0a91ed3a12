import type { Queryable, Transaction } from "../database.js";

/** A rebuild of what the question engine holds of an organization, as somebody asked for it. */
export interface Rebuild {
  requestedAt: Date;
  finishedAt: Date | null;
}

/** Asks for a rebuild, by giving a new generation; one that is under way begins again. */
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

/** Gives a new generation: whatever the question engine holds is of no use any more. */
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

/** Organizations whose rebuild was asked for and is not finished. */
export async function organizationsToRebuild(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ organization_id: string }>(
    "select organization_id from rebuilds where finished_at is null",
  );
  return rows.map(({ organization_id }) => organization_id);
}

/** Notes that the question engine has everything again; says nothing when nobody asked. */
export async function finishRebuild(database: Queryable, organizationId: string): Promise<void> {
  await database.query("update rebuilds set finished_at = now() where organization_id = $1 and finished_at is null", [
    organizationId,
  ]);
}
