import type { Queryable } from "../database.js";

/** Calls of a connector to its service, and the least number of calls that the service still allowed. */
export interface ServiceCallCounts {
  calls: number;
  remaining: number | null;
}

/** Adds to the counts of this minute. */
export async function countServiceCalls(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  { calls, remaining }: ServiceCallCounts,
): Promise<void> {
  await database.query(
    `insert into service_calls as s (organization_id, connector_id, minute, calls, remaining)
     select organization_id, id, date_trunc('minute', now()), $3, $4
     from connectors
     where organization_id = $1 and id = $2
     on conflict (organization_id, connector_id, minute) do update
     set calls = s.calls + excluded.calls, remaining = least(s.remaining, excluded.remaining)`,
    [organizationId, connectorId, calls, remaining],
  );
}

/** The counts since a time, a row for each `stepMs` with a report. Steps begin at multiples of their length. */
export async function readServiceCalls(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  { since, stepMs }: { since: Date; stepMs: number },
): Promise<(ServiceCallCounts & { at: Date })[]> {
  const { rows } = await database.query<{ at: Date; calls: string; remaining: string | null }>(
    `select date_bin(make_interval(secs => $4), minute, 'epoch'::timestamptz) as at,
            sum(calls) as calls, min(remaining) as remaining
     from service_calls
     where organization_id = $1 and connector_id = $2 and minute >= $3
     group by 1
     order by 1`,
    [organizationId, connectorId, since, stepMs / 1_000],
  );
  return rows.map(({ at, ...counts }) => ({ at, ...numbersOf(counts) }));
}

/** What a connector reported in the last minute with a report. */
export async function lastServiceCalls(
  database: Queryable,
  organizationId: string,
  connectorId: string,
): Promise<{ at: Date; remaining: number | null } | undefined> {
  const { rows } = await database.query<{ at: Date; calls: string; remaining: string | null }>(
    `select minute as at, calls, remaining
     from service_calls
     where organization_id = $1 and connector_id = $2
     order by minute desc
     limit 1`,
    [organizationId, connectorId],
  );
  const [last] = rows;
  return last && { at: last.at, remaining: numbersOf(last).remaining };
}

/** Large integers come as texts. */
function numbersOf({ calls, remaining }: { calls: string; remaining: string | null }): ServiceCallCounts {
  return { calls: Number(calls), remaining: remaining === null ? null : Number(remaining) };
}
