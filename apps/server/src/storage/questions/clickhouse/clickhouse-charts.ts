import { SEGMENT_EVENTS } from "@muster/protocol";
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
): Pick<EventFigures, "countEventsPerInterval" | "sumMovesPerInterval"> {
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

    async sumMovesPerInterval(organizationId, segmentId, { from, interval }) {
      return statements.rows(
        `select ${START_MS[interval]} as start, toFloat64(sum(step)) as change
         from (
           select created_at, if(event = {entered:String}, 1, -1) as step,
             lagInFrame(step, 1, 0) over (partition by user_id, account_id order by created_at, id) as before
           from events final
           where org = {org:FixedString(24)} and event in ({entered:String}, {left:String})
             and created_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
             and source = 'platform' and properties.segment_id.:String = {segment:String}
         )
         where step != before
         group by start`,
        {
          org: organizationId,
          segment: segmentId,
          from: from.getTime(),
          ...SEGMENT_EVENTS,
        },
        { isLimited: true },
      );
    },
  };
}
