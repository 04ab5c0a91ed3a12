import type { StoredEvent } from "../../../domain/changes/change-set.js";
import type { EventFigures } from "../event-figures.js";
import { clickhouseCharts } from "./clickhouse-charts.js";
import { clickhouseEntityStats } from "./clickhouse-entity-stats.js";
import { clickhouseEventVolumes } from "./clickhouse-event-volumes.js";
import type { Statements } from "./client/statements.js";

const LIMITED = { isLimited: true } as const;

export function clickhouseEventFigures(statements: Statements): EventFigures {
  return {
    ...clickhouseCharts(statements),
    ...clickhouseEntityStats(statements),
    ...clickhouseEventVolumes(statements),

    async findEvent(organizationId, id) {
      // Grouping instead of `final`: all versions of a row have the same id, so the index of ids finds them.
      const [row] = await statements.rows<{ doc: string }>(
        `select argMax(events.doc, version) as doc
         from events
         where org = {org:FixedString(24)} and id = {id:String}
         group by event, created_at
         having argMax(is_deleted, version) = 0
         limit 1`,
        { org: organizationId, id },
        LIMITED,
      );
      return row && (JSON.parse(row.doc) as StoredEvent);
    },

    async countEvents(organizationId, userId) {
      const rows = await statements.rows<{ event: string; count: number }>(
        `select event, count() as count
         from events final
         where org = {org:FixedString(24)} and user_id = {user:FixedString(24)} and source != 'platform'
         group by event
         order by event`,
        { org: organizationId, user: userId },
        LIMITED,
      );
      return Object.fromEntries(rows.map(({ event, count }) => [event, count]));
    },

    async countEventsByAnonymousId(organizationId, userId) {
      const rows = await statements.rows<{ anonymous_id: string; count: number }>(
        `select anonymous_id, count() as count
         from events final
         where org = {org:FixedString(24)} and user_id = {user:FixedString(24)} and anonymous_id != ''
           and source != 'platform'
         group by anonymous_id`,
        { org: organizationId, user: userId },
        LIMITED,
      );
      return new Map(rows.map(({ anonymous_id, count }) => [anonymous_id, count]));
    },

    async countEventsByName(organizationId, names) {
      const rows = await statements.rows<{
        event: string;
        count: number;
        emitted: number;
        first: number;
        last: number;
      }>(
        `select event, count() as count, max(source = 'platform') as emitted,
           toFloat64(toUnixTimestamp64Milli(min(created_at))) as first,
           toFloat64(toUnixTimestamp64Milli(max(created_at))) as last
         from events final
         where org = {org:FixedString(24)} and event in {names:Array(String)}
         group by event`,
        { org: organizationId, names },
        LIMITED,
      );
      return rows.map(({ event, count, emitted, first, last }) => ({
        event,
        count,
        emitted: emitted === 1,
        firstAt: new Date(first).toISOString(),
        lastAt: new Date(last).toISOString(),
      }));
    },
  };
}
