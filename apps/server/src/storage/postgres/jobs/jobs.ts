import { createId } from "@muster/protocol";
import type { Job, JobObject, JobStatus, JobType, NewJob } from "../../../domain/jobs/job.js";
import type { Queryable } from "../database.js";
import { type Page, readPage } from "../read-page.js";

export interface JobRow {
  organization_id: string;
  id: string;
  type: JobType;
  object: JobObject;
  status: JobStatus;
  name: string;
  description: string;
  connector_id: string;
  parameters: unknown;
  sealed_url: Buffer | null;
  due_at: Date;
  attempts: number;
  checkpoint: unknown;
  processed: number;
  total: number | null;
  rejected: number;
  processed_bytes: number;
  total_bytes: number | null;
  result: Record<string, unknown> | null;
  error: string | null;
  file_bytes: number | null;
  file_expires_at: Date | null;
  callback_due_at: Date | null;
  callback_attempts: number;
  callback_error: string | null;
  called_back_at: Date | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

export async function createJob(
  database: Queryable,
  organizationId: string,
  job: NewJob,
  { id = createId("job"), sealedUrl = null }: { id?: string; sealedUrl?: Buffer | null } = {},
): Promise<Job> {
  const { rows } = await database.query<JobRow>(
    `insert into jobs (organization_id, id, type, object, name, description, connector_id, parameters, due_at, sealed_url)
     values ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, coalesce($9, now()), $10)
     returning *`,
    [
      organizationId,
      id,
      job.type,
      job.object,
      job.name,
      job.description ?? "",
      job.connectorId,
      JSON.stringify(job.parameters),
      job.dueAt ?? null,
      sealedUrl,
    ],
  );
  return fromRow(rows[0]!);
}

export async function findJob(database: Queryable, organizationId: string, id: string): Promise<Job | undefined> {
  const { rows } = await database.query<JobRow>("select * from jobs where organization_id = $1 and id = $2", [
    organizationId,
    id,
  ]);
  return rows[0] && fromRow(rows[0]);
}

export interface JobFilter {
  type?: JobType | undefined;
  status?: JobStatus | undefined;
  /** Jobs that this connector has started, and exports to it. */
  connectorId?: string | undefined;
}

/** Jobs of an organization, the latest first. */
export async function listJobs(
  database: Queryable,
  organizationId: string,
  { type, status, connectorId }: JobFilter,
  page: Page,
): Promise<{ total: number; jobs: Job[] }> {
  const { total, rows } = await readPage<JobRow>(
    database,
    {
      columns: "*",
      from: `jobs
        where organization_id = $1 and ($2::text is null or type = $2) and ($3::text is null or status = $3)
          and ($4::text is null or connector_id = $4)`,
      orderBy: "id desc",
      values: [organizationId, type ?? null, status ?? null, connectorId ?? null],
    },
    page,
  );
  return { total, jobs: rows.map(fromRow) };
}

/** Jobs of an organization that have not ended. */
export async function listActiveJobs(database: Queryable, organizationId: string): Promise<Job[]> {
  const { rows } = await database.query<JobRow>(
    `select *
     from jobs
     where organization_id = $1 and status in ('scheduled', 'running')
     order by id`,
    [organizationId],
  );
  return rows.map(fromRow);
}

/** The jobs of an organization that have failed since a time, the latest first. */
export async function listFailedJobs(
  database: Queryable,
  organizationId: string,
  since: Date,
  limit: number,
): Promise<Job[]> {
  const { rows } = await database.query<JobRow>(
    `select *
     from jobs
     where organization_id = $1 and status = 'failed' and finished_at >= $2
     order by finished_at desc
     limit $3`,
    [organizationId, since, limit],
  );
  return rows.map(fromRow);
}

/** All jobs of all organizations that have not ended, with the address of the file that an import reads. */
export async function listUnfinished(database: Queryable): Promise<{ id: string; url: string | null }[]> {
  const { rows } = await database.query<{ id: string; url: string | null }>(
    "select id, parameters ->> 'url' as url from jobs where status in ('scheduled', 'running')",
  );
  return rows;
}

/** Cancels a job. Returns false when there is no such job or it has ended. */
export async function cancelJob(database: Queryable, organizationId: string, id: string): Promise<boolean> {
  const { rowCount } = await database.query(
    `update jobs
     set status = 'canceled', finished_at = now(), lease_holder = null, leased_until = null
     where organization_id = $1 and id = $2 and status in ('scheduled', 'running')`,
    [organizationId, id],
  );
  return rowCount === 1;
}

export function fromRow(row: JobRow): Job {
  return {
    id: row.id,
    organizationId: row.organization_id,
    type: row.type,
    object: row.object,
    status: row.status,
    name: row.name,
    description: row.description,
    connectorId: row.connector_id,
    parameters: row.parameters,
    sealedUrl: row.sealed_url,
    dueAt: row.due_at,
    attempts: row.attempts,
    checkpoint: row.checkpoint,
    progress: {
      processed: row.processed,
      total: row.total,
      rejected: row.rejected,
      processedBytes: row.processed_bytes,
      totalBytes: row.total_bytes,
    },
    result: row.result,
    error: row.error,
    file:
      row.file_bytes === null || row.file_expires_at === null
        ? null
        : { bytes: row.file_bytes, expiresAt: row.file_expires_at },
    callback: {
      dueAt: row.callback_due_at,
      attempts: row.callback_attempts,
      error: row.callback_error,
      calledAt: row.called_back_at,
    },
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

/** The jobs that take back what a writer wrote, without dry runs, the latest first. */
export async function listReverts(database: Queryable, organizationId: string, writer: string): Promise<Job[]> {
  const { rows } = await database.query<JobRow>(
    `select *
     from jobs
     where organization_id = $1 and type = 'revert' and parameters ->> 'writer' = $2
       and parameters ->> 'dryRun' = 'false'
     order by id desc
     limit 100`,
    [organizationId, writer],
  );
  return rows.map(fromRow);
}
