import type { SubjectType } from "@muster/protocol";
import type { Job } from "../../../domain/jobs/job.js";
import type { Queryable, Transaction } from "../database.js";
import { fromRow, type JobRow } from "./jobs.js";

/**
 * Takes the finished extract whose callback is due first, but none of these organizations. If the process dies before it
 * saves the outcome, the callback is due again after a minute.
 */
export async function claimCallback(
  database: Queryable,
  withoutOrganizations: readonly string[],
): Promise<Job | undefined> {
  const { rows } = await database.query<JobRow>(
    `update jobs
     set callback_due_at = now() + interval '1 minute', callback_attempts = callback_attempts + 1
     where (organization_id, id) = (
       select organization_id, id
       from jobs
       where callback_due_at <= now() and organization_id <> all($1::text[])
         and exists (select from organizations o where o.id = jobs.organization_id and o.enabled)
         and not exists (select from held_calls)
       order by callback_due_at
       limit 1
       for update skip locked
     )
     returning *`,
    [withoutOrganizations],
  );
  return rows[0] && fromRow(rows[0]);
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

/** Whether an organization has files whose retention is over and that are not deleted yet. */
export async function hasExpiredFiles(database: Queryable, organizationId: string): Promise<boolean> {
  const { rows } = await database.query<{ any: boolean }>(
    "select exists (select from jobs where organization_id = $1 and file_expires_at <= now()) as any",
    [organizationId],
  );
  return rows[0]?.any ?? false;
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

/** The extracts and refused rows that may hold a user, or an account: a row about a user has the account of the user too. */
const EXTRACTS_WITH: Record<SubjectType, readonly string[]> = {
  user: ["users", "events"],
  account: ["users", "accounts", "events"],
};
const REMOVED_ROWS = "Somebody whose data may be in the refused rows was erased.";
const REMOVED = "Somebody whose data may be in the file was erased. Request the extract again.";

/**
 * A lock between completing an extract and erasing a subject, until the transaction ends. Without it neither transaction
 * would see the other, and the file would keep the erased subject.
 */
export async function lockExtracts(tx: Transaction, organizationId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`extracts of ${organizationId}`]);
}

/**
 * Ends the retention of the files of extracts that may hold an erased subject: they cannot be downloaded any more, and
 * are removed soon. Returns how many there were.
 */
export async function expireExtracts(
  tx: Transaction,
  organizationId: string,
  subjectType: SubjectType,
): Promise<number> {
  await lockExtracts(tx, organizationId);
  const { rowCount } = await tx.query(
    `update jobs
     set file_expires_at = now(), callback_due_at = null,
         result = coalesce(result, '{}') || jsonb_build_object('file_removed', case type when 'extract' then $3 else $4 end::text)
     where organization_id = $1 and type in ('extract', 'import') and object = any($2::text[]) and file_expires_at > now()`,
    [organizationId, EXTRACTS_WITH[subjectType], REMOVED, REMOVED_ROWS],
  );
  return rowCount ?? 0;
}
