import { FIRST_MEMBER, SEGMENT_EVENTS } from "@muster/protocol";
import type { Interval } from "../../../domain/charts/intervals.js";
import type { EventFigures } from "../event-figures.js";
import type { Statements } from "./client/statements.js";
import { milliseconds, startOfUnit } from "./schema/moments.js";

/** The start of a row's interval in milliseconds, equal to the result of `startOf`. */
const START_MS: Record<Interval, string> = {
  hour: startOfUnit(milliseconds("created_at"), "h", "'UTC'"),
  day: startOfUnit(milliseconds("created_at"), "d", "'UTC'"),
  week: startOfUnit(milliseconds("created_at"), "w", "'UTC'"),
  month: startOfUnit(milliseconds("created_at"), "M", "'UTC'"),
};

/** The figures that charts are drawn from. */
export function clickhouseCharts(
  statements: Statements,
): Pick<EventFigures, "countEventsPerInterval" | "countMovesPerInterval"> {
  return {
    async countEventsPerInterval(organizationId, { from, to, interval }, which) {
      const within = `org = {org:FixedString(24)}
           and created_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
           and created_at <= fromUnixTimestamp64Milli({to:Int64}, 'UTC')`;
      const wanted = which.names
        ? "{names:Array(String)}"
        : `(select event from events final where ${within} group by event order by count() desc, event limit {top:UInt32})`;
      return statements.rows(
        `select event, ${START_MS[interval]} as start, count() as count
         from events final
         where ${within} and event in ${wanted}
         group by event, start`,
        { org: organizationId, from: from.getTime(), to: to.getTime(), names: which.names ?? [], top: which.top },
        { isLimited: true },
      );
    },

    async countMovesPerInterval(organizationId, { from, interval }, segmentIds) {
      const segment = "properties.segment_id.:String";
      const rows = await statements.rows<{ segment: string; start: number; entered: number; left_count: number }>(
        `select segment, ${START_MS[interval]} as start,
           toFloat64(countIf(step = 1)) as entered, toFloat64(countIf(step = -1)) as left_count
         from (
           select created_at, assumeNotNull(${segment}) as segment, if(event = {entered:String}, 1, -1) as step,
             coalesce(properties.${FIRST_MEMBER}.:Bool, false) as is_first,
             lagInFrame(step, 1, 0) over (partition by segment, user_id, account_id order by created_at, id) as before
           from events final
           where org = {org:FixedString(24)} and event in ({entered:String}, {left:String})
             and created_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
             and source = 'platform' and ${segment} is not null
             ${segmentIds ? `and ${segment} in {segments:Array(String)}` : ""}
         )
         where step != before and not is_first
         group by segment, start`,
        { org: organizationId, from: from.getTime(), ...SEGMENT_EVENTS, segments: segmentIds ?? [] },
        { isLimited: true },
      );
      return rows.map(({ segment: segmentId, left_count: left, ...row }) => ({ segmentId, left, ...row }));
    },
  };
}
