import type { StoredEvent } from "../../../domain/events/stored-event.js";
import type { EventFigures } from "../event-figures.js";
import { clickhouseCharts } from "./clickhouse-charts.js";
import { clickhouseEntityStats, countLiked } from "./clickhouse-entity-stats.js";
import { clickhouseEventVolumes } from "./clickhouse-event-volumes.js";
import type { Statements } from "./client/statements.js";
import { jsonPath } from "./schema/json-path.js";

const LIMITED = { isLimited: true } as const;

/** Whether an event is proved to be of its user. An event without the mark has no value here. */
const IS_PROVED = `not ifNull(${jsonPath("context", "unproved")}.:Bool, false)`;

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

    async actionsOf(organizationId, userId, which) {
      const params = { org: organizationId, user: userId };
      const mine = "org = {org:FixedString(24)} and user_id = {user:FixedString(24)} and source != 'platform'";
      const proved = which === "proved" ? IS_PROVED : "true";
      const own = `${mine} and ${proved}`;
      const [events, anonymousIds, liked] = await Promise.all([
        statements.rows<{ event: string; count: number }>(
          `select event, count() as count from events final where ${own} group by event order by event`,
          params,
          LIMITED,
        ),
        statements.rows<{ anonymous_id: string; count: number }>(
          `select anonymous_id, count() as count
           from events final
           where ${own} and anonymous_id != ''
           group by anonymous_id`,
          params,
          LIMITED,
        ),
        countLiked(statements, organizationId, userId, proved),
      ]);
      return {
        counts: Object.fromEntries(events.map(({ event, count }) => [event, count])),
        byAnonymousId: new Map(anonymousIds.map(({ anonymous_id, count }) => [anonymous_id, count])),
        liked,
      };
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
