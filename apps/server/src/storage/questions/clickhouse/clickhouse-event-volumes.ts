import { DAY_MS } from "@muster/protocol";
import type { EventFigures, VolumeRequest } from "../event-figures.js";
import type { Statements } from "./client/statements.js";

interface VolumeRow {
  event: string;
  count: number;
  emitted: number;
  first: number;
  last: number;
  last_day: number;
  last_7_days: number;
  last_30_days: number;
  sources: string[];
}

const ORDERS: Record<VolumeRequest["order"], string> = {
  volume: "last_30_days desc, count desc, event",
  name: "event",
  last: "last desc, event",
};

const LIMITED = { isLimited: true } as const;
const since = (name: string) => `created_at >= fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;

/** Measures all event names in one pass over the events. */
export function clickhouseEventVolumes(statements: Statements): Pick<EventFigures, "measureEvents"> {
  return {
    async measureEvents(organizationId, { text, without, order, limit, offset, now }) {
      const named = [
        ...(text === undefined ? [] : ["and positionCaseInsensitiveUTF8(event, {text:String}) > 0"]),
        ...(without.length === 0 ? [] : ["and event not in {without:Array(String)}"]),
      ].join(" ");
      const from = `events final where org = {org:FixedString(24)} ${named}`;
      const which = { org: organizationId, text: text ?? "", without: [...without] };
      const before = (days: number) => now.getTime() - days * DAY_MS;
      const [[counted], rows] = await Promise.all([
        statements.rows<{ total: number }>(`select toFloat64(uniqExact(event)) as total from ${from}`, which, LIMITED),
        statements.rows<VolumeRow>(
          `select event, count() as count, max(source = 'platform') as emitted,
             toFloat64(toUnixTimestamp64Milli(min(created_at))) as first,
             toFloat64(toUnixTimestamp64Milli(max(created_at))) as last,
             countIf(${since("day")}) as last_day,
             countIf(${since("week")}) as last_7_days,
             countIf(${since("month")}) as last_30_days,
             groupUniqArrayIf(100)(source, source != '') as sources
           from ${from}
           group by event
           order by ${ORDERS[order]}
           limit {limit:UInt32} offset {offset:UInt32}`,
          { ...which, day: before(1), week: before(7), month: before(30), limit, offset },
          LIMITED,
        ),
      ]);
      const volumes = rows.map((row) => ({
        event: row.event,
        count: row.count,
        emitted: row.emitted === 1,
        firstAt: new Date(row.first).toISOString(),
        lastAt: new Date(row.last).toISOString(),
        lastDay: row.last_day,
        last7Days: row.last_7_days,
        last30Days: row.last_30_days,
        sources: row.sources.sort(),
      }));
      return { total: counted?.total ?? 0, volumes };
    },
  };
}
