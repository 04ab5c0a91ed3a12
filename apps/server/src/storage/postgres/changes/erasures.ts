import type { ErasedSubject } from "../../../domain/identity/erased-subjects.js";
import type { Queryable, Transaction } from "../database.js";
import { eraseDeadLetters } from "../delivery/dead-letters.js";
import { eraseTraces } from "../delivery/traces.js";

/** Returns those of the given ids that belong to erased subjects. */
export async function findErased(
  database: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await database.query<{ id: string }>(
    "select id from erased where organization_id = $1 and id = any($2::text[])",
    [organizationId, [...new Set(ids)]],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Organizations with erased subjects whose entries have not been removed from the logs yet. */
export async function organizationsToClean(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ organization_id: string }>(
    "select distinct organization_id from erased where cleaned_at is null",
  );
  return rows.map(({ organization_id }) => organization_id);
}

/** The steps of a pass in order: the change log, the lanes of the ingestion log, the rejected entries. */
export const PASS_STEPS = ["changes", "a", "l", "b", "rejected", "end"] as const;
export type PassStep = (typeof PASS_STEPS)[number];

/** One pass through the logs of an organization, which removes everything about its erased subjects. */
export interface ErasurePass {
  startedAt: Date;
  step: PassStep;
  /** The last row of the step's log that is done, or 0. */
  after: number;
}

/** Locks the organization's present pass, or starts one. Returns undefined when another process has locked it. */
export async function lockPass(tx: Transaction, organizationId: string): Promise<ErasurePass | undefined> {
  await tx.query("insert into erasure_passes (organization_id, step) values ($1, $2) on conflict do nothing", [
    organizationId,
    PASS_STEPS[0],
  ]);
  const { rows } = await tx.query<ErasurePass>(
    `select started_at as "startedAt", step, after
     from erasure_passes
     where organization_id = $1
     for update skip locked`,
    [organizationId],
  );
  return rows[0];
}

export async function savePass(
  tx: Transaction,
  organizationId: string,
  { step, after }: Pick<ErasurePass, "step" | "after">,
): Promise<void> {
  await tx.query("update erasure_passes set step = $2, after = $3 where organization_id = $1", [
    organizationId,
    step,
    after,
  ]);
}

/** The subjects that a pass removes from the logs: those that were erased before it started. */
export async function listToClean(tx: Transaction, organizationId: string, startedAt: Date): Promise<ErasedSubject[]> {
  const { rows } = await tx.query<ErasedSubject>(
    `select id, identifiers, erased_at as "erasedAt"
     from erased
     where organization_id = $1 and cleaned_at is null and erased_at <= $2`,
    [organizationId, startedAt],
  );
  return rows;
}

/** Ends a pass and deletes the identifiers of its subjects. Their ids stay, marked as erased. */
export async function endPass(tx: Transaction, organizationId: string, ids: readonly string[]): Promise<void> {
  for (const table of ["event_keys", "end_user_event_keys"]) {
    await tx.query(`delete from ${table} where organization_id = $1 and user_id = any($2::text[])`, [
      organizationId,
      ids,
    ]);
  }
  // Messages about the subjects may have been on their way while they were erased.
  await eraseDeadLetters(tx, organizationId, ids);
  await eraseTraces(tx, organizationId, ids);
  await tx.query(
    `update erased
     set cleaned_at = now(), identifiers = '{}'
     where organization_id = $1 and id = any($2::text[])`,
    [organizationId, ids],
  );
  await tx.query("delete from erasure_passes where organization_id = $1", [organizationId]);
}
