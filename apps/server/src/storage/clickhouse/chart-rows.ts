import { SEGMENT_EVENTS } from "../../domain/evaluation-events.js";
import type { Interval } from "../../domain/intervals.js";
import type { ClickHouse } from "../../engines/clickhouse.js";

export interface Span {
  from: Date;
  to: Date;
  interval: Interval;
}

/** The start of a row's interval in milliseconds; the same as `startOf` gives. */
const STARTS: Record<Interval, string> = {
  hour: "toStartOfHour(created_at)",
  day: "toStartOfDay(created_at)",
  week: "toStartOfWeek(created_at, 1)",
  month: "toStartOfMonth(created_at)",
};

const startMs = (interval: Interval) => `toFloat64(toUnixTimestamp(toDateTime(${STARTS[interval]}, 'UTC'))) * 1000`;

/** How often events were recorded in each interval: those named, or the most frequent ones. */
export async function countEventsPerInterval(
  clickhouse: ClickHouse,
  organizationId: string,
  { from, to, interval }: Span,
  which: { names?: readonly string[] | undefined; top: number },
): Promise<{ event: string; start: number; count: number }[]> {
  const within = `org = {org:String}
       and created_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
       and created_at <= fromUnixTimestamp64Milli({to:Int64}, 'UTC')`;
  const wanted = which.names
    ? "{names:Array(String)}"
    : `(select event from events final where ${within} group by event order by count() desc, event limit {top:UInt32})`;
  return clickhouse.rows(
    `select event, ${startMs(interval)} as start, count() as count
     from events final
     where ${within} and event in ${wanted}
     group by event, start`,
    { org: organizationId, from: from.getTime(), to: to.getTime(), names: which.names ?? [], top: which.top },
  );
}

/**
 * How many more entered a segment than left it, in each interval since `from`. Somebody who enters twice in a row is
 * two who have been merged since, and counts once.
 */
export async function sumMovesPerInterval(
  clickhouse: ClickHouse,
  organizationId: string,
  segmentId: string,
  { from, interval }: Pick<Span, "from" | "interval">,
): Promise<{ start: number; change: number }[]> {
  return clickhouse.rows(
    `select ${startMs(interval)} as start, toFloat64(sum(step)) as change
     from (
       select created_at, if(event = {entered:String}, 1, -1) as step,
         lagInFrame(step, 1, 0) over (partition by user_id, account_id order by created_at, id) as before
       from events final
       where org = {org:String} and event in ({entered:String}, {left:String})
         and created_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
         and source = 'platform' and properties.segment_id.:String = {segment:String}
     )
     where step != before
     group by start`,
    {
      org: organizationId,
      segment: segmentId,
      from: from.getTime(),
      entered: SEGMENT_EVENTS[0],
      left: SEGMENT_EVENTS[1],
    },
  );
}
