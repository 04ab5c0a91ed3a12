import type { Queryable, Transaction } from "../database.js";

/** How often the subjects that the time has moved are looked for, and broken definitions are tried again. */
export interface ComputePeriods {
  lookSeconds: number;
  retrySeconds: number;
}

const DUE = `(problem is null and filled_revision < revision)
  or (problem is null and moves_with_time and (looked_at is null or looked_at > $1 or looked_at <= $1 - $2 * interval '1 second'))
  or (problem is not null and problem_since <= $1 - $3 * interval '1 second')`;

/** Organizations with computed attributes that are to be filled, looked at or tried again at a time. */
export async function organizationsToCompute(
  database: Queryable,
  now: Date,
  { lookSeconds, retrySeconds }: ComputePeriods,
): Promise<string[]> {
  const { rows } = await database.query<{ organization_id: string }>(
    `select distinct organization_id
     from computed_attributes
     join organizations o on o.id = organization_id and o.enabled
     where ${DUE}`,
    [now, lookSeconds, retrySeconds],
  );
  return rows.map(({ organization_id }) => organization_id);
}

/** What a filling has done in one step. */
export interface FillProgress {
  /** Null: all subjects were asked about. */
  after: string | null;
  processed: number;
  total: number;
  /** The change that the step has made. */
  sequence: number | undefined;
  /** The time that the values are of. */
  now: Date;
}

/** A definition at one of its revisions. An edit in between starts another filling. */
interface Revised {
  id: string;
  revision: number;
}

export async function saveFill(
  tx: Transaction,
  organizationId: string,
  filled: readonly Revised[],
  { after, processed, total, sequence, now }: FillProgress,
): Promise<void> {
  await tx.query(
    `update computed_attributes c
     set fill_after = $4, processed = $5, total = $6, fill_until = coalesce($7, fill_until, 0),
         looked_at = case when c.fill_after = '' then $8 else c.looked_at end
     from unnest($2::text[], $3::integer[]) as r (id, revision)
     where c.organization_id = $1 and c.id = r.id and c.revision = r.revision`,
    [
      organizationId,
      filled.map(({ id }) => id),
      filled.map((one) => one.revision),
      after,
      processed,
      total,
      sequence ?? null,
      now,
    ],
  );
}

/** Ends the fillings whose last change the relay has come to. Returns whether some have ended. */
export async function endFills(tx: Transaction, organizationId: string, sequence: number, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update computed_attributes
     set filled_revision = revision, computed_at = $3
     where organization_id = $1 and filled_revision < revision and fill_after is null and fill_until <= $2`,
    [organizationId, sequence, now],
  );
  return (rowCount ?? 0) > 0;
}

/** Notes that the values of all whom the time has moved until then are computed. */
export async function saveLook(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await tx.query("update computed_attributes set looked_at = $3 where organization_id = $1 and id = any($2::text[])", [
    organizationId,
    ids,
    now,
  ]);
}

/** Makes the next steps compute the values of everybody again. */
export async function refill(tx: Transaction, organizationId: string, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update computed_attributes
     set revision = revision + 1, fill_after = '', fill_until = null, processed = 0, problem = null, problem_since = null
     where organization_id = $1 and id = any($2::text[])`,
    [organizationId, ids],
  );
}

export async function markComputedBroken(
  tx: Transaction,
  organizationId: string,
  broken: readonly (Revised & { problem: string })[],
): Promise<void> {
  await tx.query(
    `update computed_attributes c
     set problem = b.problem, problem_since = now()
     from unnest($2::text[], $3::integer[], $4::text[]) as b (id, revision, problem)
     where c.organization_id = $1 and c.id = b.id and c.revision = b.revision`,
    [
      organizationId,
      broken.map(({ id }) => id),
      broken.map(({ revision }) => revision),
      broken.map(({ problem }) => problem),
    ],
  );
}
