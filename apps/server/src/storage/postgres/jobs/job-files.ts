import type { Job } from "../../../domain/jobs/job.js";
import type { Queryable } from "../database.js";
import { fromRow, type JobRow } from "./jobs.js";

/**
 * Claims finished extracts whose callback is due. If the process dies before it saves the outcome, the callback is due
 * again after a minute.
 */
export async function claimCallbacks(database: Queryable, limit: number): Promise<Job[]> {
  const { rows } = await database.query<JobRow>(
    `update jobs
     set callback_due_at = now() + interval '1 minute', callback_attempts = callback_attempts + 1
     where (organization_id, id) in (
       select organization_id, id
       from jobs
       where callback_due_at <= now()
       order by callback_due_at
       limit $1
       for update skip locked
     )
     returning *`,
    [limit],
  );
  return rows.map(fromRow);
}

/** Stores the outcome of a callback: success (no error), a retry after `retryMs`, or a failure without a retry (null). */
export async function saveCallback(
  database: Queryable,
  { organizationId, id }: Job,
  { error, retryMs }: { error: string | null; retryMs: number | null },
): Promise<void> {
  await database.query(
    `update jobs
     set callback_error = $3, callback_due_at = now() + $4 * interval '1 millisecond',
         called_back_at = case when $3::text is null then now() end
     where organization_id = $1 and id = $2`,
    [organizationId, id, error, retryMs],
  );
}

/** Jobs whose files have expired. */
export async function listExpired(database: Queryable): Promise<Job[]> {
  const { rows } = await database.query<JobRow>("select * from jobs where file_expires_at <= now()");
  return rows.map(fromRow);
}

/** Records that the file of a job was deleted, and cancels its callback. */
export async function forgetFile(database: Queryable, { organizationId, id }: Job): Promise<void> {
  await database.query(
    `update jobs
     set file_bytes = null, file_expires_at = null, callback_due_at = null
     where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
}
