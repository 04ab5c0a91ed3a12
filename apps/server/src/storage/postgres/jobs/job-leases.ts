import type { Job, JobProgress, JobType } from "../../../domain/jobs/job.js";
import { lastErasure } from "../changes/erasures.js";
import type { Database, Queryable } from "../database.js";
import { lockExtracts } from "./job-files.js";
import { fromRow, type JobRow } from "./jobs.js";

/**
 * The right of one process to run a job for a limited time. Every write of a runner is conditional on its lease, so a
 * process that has lost it cannot write any more.
 */
export interface Lease {
  organizationId: string;
  jobId: string;
  holder: string;
}

// A lease is renewed after a third of this time. When a process dies, its jobs wait this long for another one.
const LEASE_SECONDS = 9;
export const RENEW_EVERY_MS = (LEASE_SECONDS * 1_000) / 3;

const HELD = "organization_id = $1 and id = $2 and lease_holder = $3 and status = 'running'";

/** Which job a process looks for. */
export interface JobWanted {
  type: JobType;
  holder: string;
  /**
   * Jobs that this process still runs. The lease of such a job ends when the process was suspended, and a second run would
   * write to the same files.
   */
  running: readonly string[];
  /** How many jobs of the type this process runs at the same time. */
  slots: number;
  /** The organizations of which this process has taken jobs of the type, the last one at the end. */
  served: readonly string[];
}

/**
 * Takes the next job of a type that is due and not leased. Those of a disabled organization wait. The organization with the
 * fewest running jobs is first, then the one that has waited longest for this process. One organization gets all slots of a
 * process but one, because its jobs may not end for a long time, and all of them when there is no other.
 */
export async function takeJob(
  database: Queryable,
  { type, holder, running, slots, served }: JobWanted,
): Promise<Job | undefined> {
  const { rows } = await database.query<JobRow>(
    `with loads as (
       select organization_id, count(*) as running, count(*) filter (where id = any($3::text[])) as running_here
       from jobs
       where type = $1 and status = 'running' and (leased_until >= now() or id = any($3::text[]))
       group by organization_id
     )
     update jobs
     set status = 'running', lease_holder = $2, leased_until = now() + interval '${LEASE_SECONDS} seconds',
         started_at = coalesce(started_at, now()), attempts = attempts + 1, error = null
     where (organization_id, id) = (
       select j.organization_id, j.id
       from jobs j
         left join loads l on l.organization_id = j.organization_id
       where j.type = $1 and j.status in ('scheduled', 'running') and j.due_at <= now()
         and (j.leased_until is null or j.leased_until < now())
         and j.id <> all($3::text[])
         and exists (select from organizations o where o.id = j.organization_id and o.enabled)
         and (
           coalesce(l.running_here, 0) < greatest($4::integer - 1, 1)
           or not exists (select from organizations o where o.id <> j.organization_id and o.enabled)
         )
       order by coalesce(l.running, 0), array_position($5::text[], j.organization_id) nulls first, j.due_at, j.id
       limit 1
       for update of j skip locked
     )
     returning *`,
    [type, holder, running, slots, served],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Whether a job is still to be run or run by somebody. */
export async function isUnfinished(
  database: Queryable,
  { organizationId, jobId }: Pick<Lease, "organizationId" | "jobId">,
): Promise<boolean> {
  const { rowCount } = await database.query(
    "select from jobs where organization_id = $1 and id = $2 and status in ('scheduled', 'running')",
    [organizationId, jobId],
  );
  return rowCount === 1;
}

/** Ends all leases of a holder that has stopped. */
export async function releaseLeases(database: Queryable, holder: string): Promise<void> {
  await database.query("update jobs set lease_holder = null, leased_until = null where lease_holder = $1", [holder]);
}

/** Milliseconds until the next job is due or a lease ends; undefined when no job is scheduled or running. */
export async function nextDueMs(database: Queryable): Promise<number | undefined> {
  const { rows } = await database.query<{ ms: number | null }>(
    `select ceil(extract(epoch from min(greatest(due_at, coalesce(leased_until, due_at))) - now()) * 1000)::float8 as ms
     from jobs
     where status in ('scheduled', 'running')`,
  );
  return rows[0]?.ms ?? undefined;
}

/** Returns false when the lease is lost: the job was canceled, or another process has taken it. */
export async function renewLease(database: Queryable, lease: Lease): Promise<boolean> {
  const { rowCount } = await database.query(
    `update jobs set leased_until = now() + interval '${LEASE_SECONDS} seconds' where ${HELD}`,
    held(lease),
  );
  return rowCount === 1;
}

/**
 * Stores the progress of a job. `isFurther`: no run got as far before, so its attempts are counted from the beginning.
 * Returns false when the lease is lost.
 */
export async function saveCheckpoint(
  database: Queryable,
  lease: Lease,
  { processed, total, rejected, processedBytes, totalBytes }: JobProgress,
  checkpoint: unknown,
  { isFurther }: { isFurther: boolean },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `update jobs
     set processed = $4, total = $5, rejected = $6, processed_bytes = $7, total_bytes = $8,
         checkpoint = $9::text::jsonb, attempts = case when $10 then 0 else attempts end,
         leased_until = now() + interval '${LEASE_SECONDS} seconds'
     where ${HELD}`,
    [...held(lease), processed, total, rejected, processedBytes, totalBytes, JSON.stringify(checkpoint), isFurther],
  );
  return rowCount === 1;
}

export interface Completion {
  result: Record<string, unknown>;
  /** `erasedUntil`: the file contains no subject that was erased by changes up to this sequence. */
  file?: { bytes: number; expiresAt: Date; erasedUntil: number };
  /** Whether a callback must be sent. */
  callsBack?: boolean;
}

/**
 * Completes a job. `lost`: this process has lost the lease. `erased`: a subject was erased that may be in the file, so
 * the job is not completed.
 */
export async function completeJob(
  database: Database,
  lease: Lease,
  completion: Completion,
): Promise<"completed" | "lost" | "erased"> {
  const { result, file, callsBack = false } = completion;
  return database.transaction(async (tx) => {
    if (file) {
      await lockExtracts(tx, lease.organizationId);
      if ((await lastErasure(tx, lease.organizationId)) > file.erasedUntil) return "erased";
    }
    const { rowCount } = await tx.query(
      `update jobs
       set status = 'completed', finished_at = now(), lease_holder = null, leased_until = null, result = $4::text::jsonb,
           file_bytes = $5, file_expires_at = $6, callback_due_at = case when $7 then now() end
       where ${HELD}`,
      [...held(lease), JSON.stringify(result), file?.bytes ?? null, file?.expiresAt ?? null, callsBack],
    );
    return rowCount === 1 ? "completed" : "lost";
  });
}

export async function failJob(database: Queryable, lease: Lease, error: string): Promise<void> {
  await database.query(
    `update jobs
     set status = 'failed', finished_at = now(), lease_holder = null, leased_until = null, error = $4
     where ${HELD}`,
    [...held(lease), error],
  );
}

/** Ends the lease of a job, which is run again after `afterMs`. */
export async function releaseJob(
  database: Queryable,
  lease: Lease,
  { afterMs, error, isAttempt }: { afterMs: number; error: string | null; isAttempt: boolean },
): Promise<void> {
  await database.query(
    `update jobs
     set lease_holder = null, leased_until = null, due_at = now() + $4 * interval '1 millisecond', error = $5,
         attempts = attempts - case when $6 then 0 else 1 end
     where ${HELD}`,
    [...held(lease), afterMs, error, isAttempt],
  );
}

function held({ organizationId, jobId, holder }: Lease): unknown[] {
  return [organizationId, jobId, holder];
}
