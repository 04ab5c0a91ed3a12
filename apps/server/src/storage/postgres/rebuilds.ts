import type { SubjectType } from "@muster/protocol";
import type { Queryable, Transaction } from "./database.js";

export interface Rebuild {
  organizationId: string;
  phase: "requested" | "documents" | "events" | "done";
  requestedAt: Date;
  finishedAt: Date | null;
  kind: SubjectType;
  afterId: string;
  documents: number;
  untilSequence: number;
}

const COLUMNS = `organization_id as "organizationId", phase, requested_at as "requestedAt", finished_at as "finishedAt",
  kind, after_id as "afterId", documents, until_sequence as "untilSequence"`;

/** Asks for a rebuild; one that is under way begins again. */
export async function requestRebuild(database: Queryable, organizationId: string): Promise<void> {
  await database.query(
    `insert into rebuilds (organization_id)
     values ($1)
     on conflict (organization_id) do update
     set phase = 'requested', requested_at = now(), finished_at = null`,
    [organizationId],
  );
}

export async function findRebuild(database: Queryable, organizationId: string): Promise<Rebuild | undefined> {
  const { rows } = await database.query<Rebuild>(`select ${COLUMNS} from rebuilds where organization_id = $1`, [
    organizationId,
  ]);
  return rows[0];
}

/** The rebuild that has work left, if there is one. */
export async function findOpenRebuild(database: Queryable, organizationId: string): Promise<Rebuild | undefined> {
  const rebuild = await findRebuild(database, organizationId);
  return rebuild?.phase === "done" ? undefined : rebuild;
}

export async function organizationsToRebuild(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ organization_id: string }>(
    "select organization_id from rebuilds where phase <> 'done'",
  );
  return rows.map(({ organization_id }) => organization_id);
}

/** Notes that nothing of the organization is searchable any more, and that what was is to be replayed. */
export async function resetProjection(tx: Transaction, organizationId: string): Promise<void> {
  const { rows } = await tx.query<{ sequence: number }>(
    "select sequence from project_cursors where organization_id = $1 for update",
    [organizationId],
  );
  await tx.query(
    `update rebuilds
     -- A rebuild that begins again has reset the cursor before; where it stood at first is what counts.
     set until_sequence = greatest(until_sequence, $2), kind = 'account', after_id = '', documents = 0
     where organization_id = $1`,
    [organizationId, rows[0]?.sequence ?? 0],
  );
  await tx.query("update project_cursors set sequence = 0, positions = '{}' where organization_id = $1", [
    organizationId,
  ]);
}

/** Leaves the request behind, once ClickHouse holds nothing of the organization. */
export async function beginDocuments(database: Queryable, organizationId: string): Promise<void> {
  await database.query("update rebuilds set phase = 'documents' where organization_id = $1", [organizationId]);
}

/**
 * Saves how far a rebuild has come, unless it was asked for again in the meantime: then that request stands. A finished
 * one needs no mark of where it ended any more.
 */
export async function saveRebuild(database: Queryable, rebuild: Rebuild): Promise<void> {
  await database.query(
    `update rebuilds
     set phase = $2, kind = $3, after_id = $4, documents = $5,
         finished_at = case when $2 = 'done' then now() end,
         until_sequence = case when $2 = 'done' then 0 else until_sequence end
     where organization_id = $1 and phase <> 'requested'`,
    [rebuild.organizationId, rebuild.phase, rebuild.kind, rebuild.afterId, rebuild.documents],
  );
}
