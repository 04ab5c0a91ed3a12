import type { Lane } from "../../../domain/entries/lanes.js";
import type { Queryable } from "../database.js";

/** A stage that reads a log: the ingestion log, or the change log. */
export interface WaitingStage {
  /** Since when the oldest record waits that is not of an import, in the organization where that is longest. */
  since: Date | undefined;
  /** Rows of the log that the stage has not read, also those of imports. */
  rows: number;
}

/** How far the stages are behind, over all organizations. Each look-up is by the keys of the logs. */
export async function readWaitingStages(
  database: Queryable,
  lanes: readonly Lane[],
): Promise<{ apply: WaitingStage; project: WaitingStage }> {
  const [apply, project] = await Promise.all([
    database.query<{ since: Date | null; rows: number }>(
      `select
         min(case
           when not h.is_elsewhere then b.received_at
           when h.lane = any($1::"char"[]) then greatest(h.behind_since, nullif(c.received_at, '-infinity'))
         end) as since,
         -- In a log elsewhere numbers are missing between positions. A batch has at least one entry.
         coalesce(sum(case
           when h.is_elsewhere then greatest(1, least(h.position - coalesce(c.position, 0), h.entries - coalesce(c.entries, 0)))
           else h.position - coalesce(c.position, 0)
         end), 0)::bigint as rows
       from log_heads h
       left join apply_cursors c using (organization_id, lane)
       left join lateral (
         select received_at
         from ingest_log l
         where h.lane = any($1::"char"[])
           and l.organization_id = h.organization_id and l.lane = h.lane and l.position = coalesce(c.position, 0) + 1
           -- It lets PostgreSQL skip the partitions of earlier days.
           and l.received_at >= coalesce(c.received_at, '-infinity') - interval '1 hour'
         limit 1
       ) b on true
       where h.position > coalesce(c.position, 0)`,
      [lanes],
    ),
    database.query<{ since: Date | null; rows: number }>(
      `select min(n.created_at) as since, coalesce(sum(h.sequence - coalesce(c.sequence, 0)), 0)::bigint as rows
       from change_heads h
       left join project_cursors c using (organization_id)
       left join lateral (
         select created_at
         from changes
         where organization_id = h.organization_id and lane = any($1::"char"[]) and sequence > coalesce(c.sequence, 0)
         order by sequence
         limit 1
       ) n on true
       where h.sequence > coalesce(c.sequence, 0)`,
      [lanes],
    ),
  ]);
  return { apply: readStage(apply.rows[0]), project: readStage(project.rows[0]) };
}

function readStage(row: { since: Date | null; rows: number } | undefined): WaitingStage {
  return { since: row?.since ?? undefined, rows: row?.rows ?? 0 };
}

/** How many jobs wait or run, by type and status. */
export async function countUnfinishedJobs(
  database: Queryable,
): Promise<{ type: string; status: string; jobs: number }[]> {
  const { rows } = await database.query<{ type: string; status: string; jobs: number }>(
    `select type, status, count(*)::bigint as jobs
     from jobs
     where status in ('scheduled', 'running')
     group by type, status`,
  );
  return rows;
}
