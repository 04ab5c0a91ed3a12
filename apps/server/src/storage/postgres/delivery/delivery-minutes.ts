import type { Queryable } from "../database.js";

/** What happened to the messages of a connector in some time. */
export interface DeliveryCounts {
  considered: number;
  addressed: number;
  withheld: number;
  queued: number;
  calls: number;
  failedCalls: number;
  sent: number;
  delivered: number;
  skipped: number;
  unreported: number;
  retried: number;
  refused: number;
  dead: number;
  lagMs: number;
}

/** Messages on their way to the queue of a connector. */
export interface CountedMessages {
  connectorId: string;
  considered?: number;
  addressed?: number;
  /** Those that are not sent, because their user has not agreed to the purposes of the connector. */
  withheld?: number;
  queued?: number;
}

/**
 * Adds to the counts of this minute. All connectors of a transaction are in one call, and their rows are locked in the
 * order of their ids, so that two transactions cannot deadlock.
 */
export async function countMessages(
  database: Queryable,
  organizationId: string,
  counts: readonly CountedMessages[],
): Promise<void> {
  if (counts.length === 0) return;
  await database.query(
    `insert into delivery_minutes as m (organization_id, connector_id, minute, considered, addressed, queued, withheld)
     select $1, c.id, date_trunc('minute', now()), sum(n.considered), sum(n.addressed), sum(n.queued), sum(n.withheld)
     from unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
       as n (connector_id, considered, addressed, queued, withheld)
     join connectors c on c.organization_id = $1 and c.id = n.connector_id
     group by c.id
     order by c.id
     on conflict (organization_id, connector_id, minute) do update
     set considered = m.considered + excluded.considered,
         addressed = m.addressed + excluded.addressed,
         queued = m.queued + excluded.queued,
         withheld = m.withheld + excluded.withheld`,
    [
      organizationId,
      counts.map(({ connectorId }) => connectorId),
      counts.map(({ considered = 0 }) => considered),
      counts.map(({ addressed = 0 }) => addressed),
      counts.map(({ queued = 0 }) => queued),
      counts.map(({ withheld = 0 }) => withheld),
    ],
  );
}

export interface CountedTime extends DeliveryCounts {
  at: Date;
}

/**
 * The counts of a connector since a time, one row for each `stepMs` in which anything happened. Steps begin at multiples
 * of their length.
 */
export async function readDeliveryCounts(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  { since, stepMs }: { since: Date; stepMs: number },
): Promise<CountedTime[]> {
  const { rows } = await database.query<Record<keyof DeliveryCounts, string> & { at: Date }>(
    `select date_bin(make_interval(secs => $4), minute, 'epoch'::timestamptz) as at,
            sum(considered) as considered, sum(addressed) as addressed, sum(queued) as queued,
            sum(withheld) as withheld,
            sum(calls) as calls, sum(failed_calls) as "failedCalls", sum(sent) as sent,
            sum(delivered) as delivered, sum(skipped) as skipped, sum(unreported) as unreported,
            sum(retried) as retried, sum(refused) as refused, sum(dead) as dead, max(lag_ms) as "lagMs"
     from delivery_minutes
     where organization_id = $1 and connector_id = $2 and minute >= $3
     group by 1
     order by 1`,
    [organizationId, connectorId, since, stepMs / 1_000],
  );
  return rows.map(({ at, ...counts }) => {
    // Sums come as texts, because they could be larger than any number of JavaScript.
    const numbers = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)]));
    return { at, ...(numbers as unknown as DeliveryCounts) };
  });
}

/** The counts of messages that a connector has taken, each of which a later report can change into another. */
export type ResultCount = "delivered" | "refused" | "skipped" | "retried" | "unreported";

/**
 * Counts messages of a call under another result. The minute of a call is the one in which its result was stored, so the
 * first minutes from the time of the call on that have such messages are the ones to change.
 */
export async function moveCounts(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  { from, to, since, messages }: { from: ResultCount; to: ResultCount; since: Date; messages: number },
): Promise<void> {
  await database.query(
    `with locked as materialized (
       select minute, ${from} as has
       from delivery_minutes
       where organization_id = $1 and connector_id = $2 and minute >= date_trunc('minute', $3::timestamptz) and ${from} > 0
       order by minute
       for update
     ), passed as (
       select minute, has, sum(has) over (order by minute) - has as before from locked
     )
     update delivery_minutes m
     set ${from} = m.${from} - least(p.has, $4 - p.before)::bigint,
         ${to} = m.${to} + least(p.has, $4 - p.before)::bigint
     from passed p
     where m.organization_id = $1 and m.connector_id = $2 and m.minute = p.minute and p.before < $4`,
    [organizationId, connectorId, since, messages],
  );
}
