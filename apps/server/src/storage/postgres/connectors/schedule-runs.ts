import type { Queryable } from "../database.js";

export type ScheduleKind = "schedule" | "status";

/** What identifies a recurring call of a connector. */
export interface ScheduleKey {
  organizationId: string;
  connectorId: string;
  kind: ScheduleKind;
  /** Path from the connector's root. */
  url: string;
}

export interface WantedSchedule extends ScheduleKey {
  timing: string;
  dueAt: Date;
}

export interface ScheduleRun extends WantedSchedule {
  lastRunAt: Date | null;
  lastResult: string | null;
  lastDurationMs: number | null;
}

interface ScheduleRow {
  organization_id: string;
  connector_id: string;
  kind: ScheduleKind;
  url: string;
  timing: string;
  due_at: Date;
  last_run_at: Date | null;
  last_result: string | null;
  last_duration_ms: number | null;
}

/** Stores the wanted schedules and deletes all others. A stored one keeps its due time unless its timing changed. */
export async function syncSchedules(database: Queryable, wanted: readonly WantedSchedule[]): Promise<void> {
  const columns = [
    wanted.map(({ organizationId }) => organizationId),
    wanted.map(({ connectorId }) => connectorId),
    wanted.map(({ kind }) => kind),
    wanted.map(({ url }) => url),
    wanted.map(({ timing }) => timing),
    wanted.map(({ dueAt }) => dueAt),
  ];
  const rows =
    "unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[]) as w (organization_id, connector_id, kind, url, timing, due_at)";
  await database.query(
    `delete from schedule_runs s
     where not exists (
       select from ${rows}
       where w.organization_id = s.organization_id and w.connector_id = s.connector_id and w.kind = s.kind and w.url = s.url
     )`,
    columns,
  );
  await database.query(
    `insert into schedule_runs as s (organization_id, connector_id, kind, url, timing, due_at)
     select w.organization_id, w.connector_id, w.kind, w.url, w.timing, w.due_at
     from ${rows}
     where exists (select from connectors c where c.organization_id = w.organization_id and c.id = w.connector_id)
     on conflict (organization_id, connector_id, kind, url) do update
     set timing = excluded.timing, due_at = excluded.due_at
     where s.timing <> excluded.timing`,
    columns,
  );
}

/** The schedules that are due, the most overdue first. */
export async function readDue(database: Queryable, now: Date): Promise<ScheduleRun[]> {
  const { rows } = await database.query<ScheduleRow>("select * from schedule_runs where due_at <= $1 order by due_at", [
    now,
  ]);
  return rows.map(fromRow);
}

export async function nextDueAt(database: Queryable): Promise<Date | undefined> {
  const { rows } = await database.query<{ at: Date | null }>("select min(due_at) as at from schedule_runs");
  return rows[0]?.at ?? undefined;
}

/** Sets the next due time of a schedule that is due. False when another process has done so. */
export async function takeDue(database: Queryable, run: ScheduleRun, dueAt: Date): Promise<boolean> {
  const { rowCount } = await database.query(
    `update schedule_runs set due_at = $6
     where organization_id = $1 and connector_id = $2 and kind = $3 and url = $4
       -- The time was read to the millisecond.
       and date_trunc('milliseconds', due_at) = $5`,
    [run.organizationId, run.connectorId, run.kind, run.url, run.dueAt, dueAt],
  );
  return rowCount === 1;
}

export async function setDue(database: Queryable, key: ScheduleKey, dueAt: Date): Promise<void> {
  await database.query(
    `update schedule_runs set due_at = $5
     where organization_id = $1 and connector_id = $2 and kind = $3 and url = $4`,
    [key.organizationId, key.connectorId, key.kind, key.url, dueAt],
  );
}

/** Makes the calls that ask a connector for its status due now. */
export async function setStatusDue(database: Queryable, organizationId: string, connectorId: string): Promise<void> {
  await database.query(
    `update schedule_runs set due_at = now()
     where organization_id = $1 and connector_id = $2 and kind = 'status'`,
    [organizationId, connectorId],
  );
}

export async function saveRun(
  database: Queryable,
  key: ScheduleKey,
  run: { at: Date; result: string; durationMs: number },
): Promise<void> {
  await database.query(
    `update schedule_runs set last_run_at = $5, last_result = $6, last_duration_ms = $7
     where organization_id = $1 and connector_id = $2 and kind = $3 and url = $4`,
    [key.organizationId, key.connectorId, key.kind, key.url, run.at, run.result, Math.round(run.durationMs)],
  );
}

export async function listSchedules(
  database: Queryable,
  organizationId: string,
  connectorId: string,
): Promise<ScheduleRun[]> {
  const { rows } = await database.query<ScheduleRow>(
    "select * from schedule_runs where organization_id = $1 and connector_id = $2 order by kind, url",
    [organizationId, connectorId],
  );
  return rows.map(fromRow);
}

function fromRow(row: ScheduleRow): ScheduleRun {
  return {
    organizationId: row.organization_id,
    connectorId: row.connector_id,
    kind: row.kind,
    url: row.url,
    timing: row.timing,
    dueAt: row.due_at,
    lastRunAt: row.last_run_at,
    lastResult: row.last_result,
    lastDurationMs: row.last_duration_ms,
  };
}
