import { FIRST_MEMBER, SEGMENT_EVENTS } from "@muster/protocol";
import type { Statement } from "@muster/query";
import type { Interval } from "../../../domain/charts/intervals.js";
import type { EntityStats } from "../../../domain/entities/entity-record.js";
import type { StoredEvent } from "../../../domain/events/stored-event.js";
import type { EventFigures } from "../event-figures.js";
import { duckdbEventVolumes } from "./duckdb-event-volumes.js";
import type { Row } from "./engine/engine.js";
import type { OrganizationFiles } from "./engine/organization-files.js";
import { keyOf } from "./layout/keys.js";
import { ofAllTimesOf } from "./times/near-times.js";

/** The start of an event's interval. In DuckDB weeks start on Monday, as everywhere in Muster. */
const startMs = (interval: Interval) =>
  `cast(epoch_ms(date_trunc('${interval}', make_timestamp(created_at * 1000))) as double)`;

/** The name of an event as JSON: from plain text, the bindings would remove a byte order mark at its start. */
const NAME = "cast(to_json(event) as varchar) as name";

const readName = (name: string) => JSON.parse(name) as string;

/** Whether a user likes an entity: the last of the user's `like` and `unlike` events about it decides. */
const LIKES = "last(lower(event) order by created_at, id) = 'like'";
const IS_ABOUT_LIKING = "lower(event) in ('like', 'unlike')";

/** Whether an event is proved to be of its user. The mark is a boolean, so it is in the text of numbers. */
const IS_PROVED = "json_extract_string(context_numbers, '/unproved') is distinct from 'true'";

export function duckdbEventFigures(files: OrganizationFiles): EventFigures {
  const ask = <Found extends Row>(
    organizationId: string,
    build: (databaseName: string) => string,
    params: Statement["params"] = {},
  ) => files.use(organizationId, (file) => file.rows<Found>({ sql: build(file.databaseName), params }));

  return {
    ...duckdbEventVolumes(files),

    async findEvent(organizationId, id) {
      const [row] = await ask<{ doc: string }>(
        organizationId,
        (databaseName) => `select doc from ${databaseName}.events where key = $key and id = $id`,
        { key: { type: "integer", value: keyOf(id) }, id: { type: "id", value: id } },
      );
      return row && (JSON.parse(row.doc) as StoredEvent);
    },

    async actionsOf(organizationId, userId, which) {
      const key = keyOf(userId);
      const narrowed = await files.use(organizationId, (file) => ofAllTimesOf(file, key));
      // One statement, because each round trip to the engine waits for this thread. Its only values are integers.
      const rows = await ask<{ figure: "event" | "anonymous id" | "liked"; name: string; count: bigint }>(
        organizationId,
        (databaseName) => `
          with mine as materialized (
            select event, anonymous_id, entity_id, created_at, id, source is null or source <> 'platform' as is_own
            from ${databaseName}.events
            where user_key = ${key} and ${narrowed} and ${which === "proved" ? IS_PROVED : "true"}
          )
          select 'event' as figure, ${NAME}, count(*) as count from mine where is_own group by event
          union all
          select 'anonymous id', cast(to_json(anonymous_id) as varchar), count(*) from mine
          where is_own and anonymous_id is not null
          group by anonymous_id
          union all
          select 'liked', '""', count(*)
          from (
            select ${LIKES} as likes from mine where ${IS_ABOUT_LIKING} and entity_id is not null group by entity_id
          )
          where likes
          order by figure, name`,
      );
      const named = (wanted: string) =>
        rows
          .filter(({ figure }) => figure === wanted)
          .map(({ name, count }) => [readName(name), Number(count)] as const);
      return {
        counts: Object.fromEntries(named("event")),
        byAnonymousId: new Map(named("anonymous id")),
        liked: named("liked")[0]?.[1] ?? 0,
      };
    },

    async countEventsByName(organizationId, names) {
      const rows = await ask<{ name: string; count: bigint; emitted: boolean; first: bigint; last: bigint }>(
        organizationId,
        (databaseName) => `select ${NAME}, count(*) as count, coalesce(bool_or(source = 'platform'), false) as emitted,
            min(created_at) as first, max(created_at) as last
          from ${databaseName}.events
          where event in (select unnest($names))
          group by event`,
        { names: { type: "text", value: names } },
      );
      return rows.map(({ name, count, emitted, first, last }) => ({
        event: readName(name),
        count: Number(count),
        emitted,
        firstAt: new Date(Number(first)).toISOString(),
        lastAt: new Date(Number(last)).toISOString(),
      }));
    },

    async countEventsPerInterval(organizationId, { from, to, interval }, { names, top }) {
      const within = "created_at between $from and $to";
      const rows = await ask<{ name: string; start: number; count: bigint }>(
        organizationId,
        (databaseName) => {
          const wanted = names
            ? "select unnest($names)"
            : `select event from ${databaseName}.events where ${within} group by event order by count(*) desc, event limit $top`;
          return `select ${NAME}, ${startMs(interval)} as start, count(*) as count
            from ${databaseName}.events
            where ${within} and event in (${wanted})
            group by event, start`;
        },
        {
          from: { type: "integer", value: from.getTime() },
          to: { type: "integer", value: to.getTime() },
          ...(names ? { names: { type: "text", value: names } } : { top: { type: "integer", value: top } }),
        },
      );
      return rows.map(({ name, start, count }) => ({ event: readName(name), start, count: Number(count) }));
    },

    async countMovesPerInterval(organizationId, { from, interval }, segmentIds) {
      const segment = "json_extract_string(properties_texts, '/segment_id')";
      const rows = await ask<{ segment: string; start: number; entered: bigint; left_count: bigint }>(
        organizationId,
        (databaseName) => `select segment, ${startMs(interval)} as start,
            count(*) filter (step = 1) as entered, count(*) filter (step = -1) as left_count
          from (
            select created_at, segment, step, is_first,
              lag(step, 1, 0) over (partition by segment, user_key, account_key order by created_at, id) as before
            from (
              select created_at, id, user_key, account_key, ${segment} as segment,
                case when event = $entered then 1 else -1 end as step,
                json_extract_string(properties_numbers, '/${FIRST_MEMBER}') is not distinct from 'true' as is_first
              from ${databaseName}.events
              where event in ($entered, $left) and created_at >= $from and source = 'platform'
                ${segmentIds ? `and ${segment} in (select unnest($segments))` : ""}
            )
          )
          where step <> before and not is_first and segment is not null
          group by segment, start`,
        {
          from: { type: "integer", value: from.getTime() },
          entered: { type: "text", value: SEGMENT_EVENTS.entered },
          left: { type: "text", value: SEGMENT_EVENTS.left },
          ...(segmentIds ? { segments: { type: "text", value: segmentIds } } : {}),
        },
      );
      return rows.map((row) => ({
        segmentId: row.segment,
        start: row.start,
        entered: Number(row.entered),
        left: Number(row.left_count),
      }));
    },

    async countEntityActions(organizationId, entityIds) {
      const stats = new Map<string, EntityStats>(entityIds.map((id) => [id, { actions: {}, likes: 0 }]));
      if (entityIds.length === 0) return stats;
      const params = { ids: { type: "id", value: entityIds } } as const;
      const among = "entity_id in (select unnest($ids))";
      const [actions, likes] = await Promise.all([
        ask<{ entity_id: string; name: string; count: bigint }>(
          organizationId,
          (databaseName) => `select entity_id, ${NAME}, count(*) as count from ${databaseName}.events
            where ${among} group by entity_id, event order by event`,
          params,
        ),
        ask<{ entity_id: string; count: bigint }>(
          organizationId,
          (databaseName) => `select entity_id, count(*) as count
            from (
              select entity_id, ${LIKES} as likes from ${databaseName}.events
              where ${IS_ABOUT_LIKING} and ${among}
              group by user_key, entity_id
            )
            where likes
            group by entity_id`,
          params,
        ),
      ]);
      for (const { entity_id, name, count } of actions) {
        const found = stats.get(entity_id);
        if (found) found.actions[readName(name)] = Number(count);
      }
      for (const { entity_id, count } of likes) {
        const found = stats.get(entity_id);
        if (found) found.likes = Number(count);
      }
      return stats;
    },
  };
}
