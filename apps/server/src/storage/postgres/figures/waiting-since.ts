import type { Lane } from "../../../domain/entries/lanes.js";
import type { Queryable } from "../database.js";

/** Since when the oldest record waits, by what it waits for. Undefined when none does. */
export interface WaitingSince {
  apply: Date | undefined;
  search: Date | undefined;
  /** Accepted entries of all lanes that are not applied. */
  unappliedEntries: number;
}

/** Finds the oldest records of the given lanes that wait. Each look-up is by the keys of the logs. */
export async function readWaitingSince(
  database: Queryable,
  organizationId: string,
  lanes: readonly Lane[],
): Promise<WaitingSince> {
  const [apply, search, unapplied] = await Promise.all([
    database.query<{ since: Date | null }>(
      `select
         min(case
           when h.is_elsewhere then greatest(h.behind_since, nullif(c.received_at, '-infinity'))
           else b.received_at
         end) as since
       from log_heads h
       left join apply_cursors c using (organization_id, lane)
       left join lateral (
         select received_at
         from ingest_log l
         where l.organization_id = h.organization_id and l.lane = h.lane and l.position = coalesce(c.position, 0) + 1
           -- It lets PostgreSQL skip the partitions of earlier days.
           and l.received_at >= coalesce(c.received_at, '-infinity') - interval '1 hour'
         limit 1
       ) b on true
       where h.organization_id = $1 and h.lane = any($2::"char"[]) and h.position > coalesce(c.position, 0)`,
      [organizationId, lanes],
    ),
    database.query<{ since: Date }>(
      `select created_at as since
       from changes
       where organization_id = $1 and lane = any($2::"char"[])
         and sequence > coalesce((select sequence from project_cursors where organization_id = $1), 0)
       order by sequence
       limit 1`,
      [organizationId, lanes],
    ),
    database.query<{ entries: number }>(
      `select greatest(0, coalesce(sum(h.entries - coalesce(c.entries, 0)), 0))::bigint as entries
       from log_heads h
       left join apply_cursors c using (organization_id, lane)
       where h.organization_id = $1`,
      [organizationId],
    ),
  ]);
  return {
    apply: apply.rows[0]?.since ?? undefined,
    search: search.rows[0]?.since,
    unappliedEntries: unapplied.rows[0]?.entries ?? 0,
  };
}
