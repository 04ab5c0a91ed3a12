import { DAY_MS } from "@muster/protocol";
import type { Param } from "@muster/query";
import type { EventFigures, VolumeRequest } from "../event-figures.js";
import type { Row } from "./engine/engine.js";
import type { OrganizationFiles } from "./engine/organization-files.js";

interface VolumeRow extends Row {
  name: string;
  total: bigint;
  count: bigint;
  emitted: boolean;
  first: bigint;
  last: bigint;
  last_day: bigint;
  last_7_days: bigint;
  last_30_days: bigint;
  sources: string | null;
}

const ORDERS: Record<VolumeRequest["order"], string> = {
  volume: "last_30_days desc, count desc, name",
  name: "name",
  last: "last desc, name",
};

/** Measures all event names in one pass over the events. */
export function duckdbEventVolumes(files: OrganizationFiles): Pick<EventFigures, "measureEvents"> {
  return {
    measureEvents: (organizationId, { text, without, order, limit, offset, now }) =>
      files.use(organizationId, async (file) => {
        const { databaseName } = file;
        const conditions = [
          ...(text === undefined ? [] : ["contains(lower(event), lower($text))"]),
          ...(without.length === 0 ? [] : ["event not in (select unnest($without))"]),
        ];
        const named = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
        const which: Record<string, Param> = {
          ...(text === undefined ? {} : { text: { type: "text", value: text } }),
          ...(without.length === 0 ? {} : { without: { type: "text", value: [...without] } }),
        };
        const since = (days: number) => ({ type: "integer" as const, value: now.getTime() - days * DAY_MS });
        const rows = await file.rows<VolumeRow>({
          // Names and sources as JSON: from plain text, the bindings would remove a byte order mark at its start.
          sql: `select cast(to_json(event) as varchar) as name, count(*) over () as total, * exclude (event)
            from (
              select event, count(*) as count, coalesce(bool_or(source = 'platform'), false) as emitted,
                min(created_at) as first, max(created_at) as last,
                count(*) filter (where created_at >= $day) as last_day,
                count(*) filter (where created_at >= $week) as last_7_days,
                count(*) filter (where created_at >= $month) as last_30_days,
                cast(to_json(list(distinct source) filter (where source <> '')) as varchar) as sources
              from ${databaseName}.events
              ${named}
              group by event
            )
            order by ${ORDERS[order]}
            limit $limit offset $offset`,
          params: {
            day: since(1),
            week: since(7),
            month: since(30),
            limit: { type: "integer", value: limit },
            offset: { type: "integer", value: offset },
            ...which,
          },
        });
        const volumes = rows.map((row) => ({
          event: JSON.parse(row.name) as string,
          count: Number(row.count),
          emitted: row.emitted,
          firstAt: new Date(Number(row.first)).toISOString(),
          lastAt: new Date(Number(row.last)).toISOString(),
          lastDay: Number(row.last_day),
          last7Days: Number(row.last_7_days),
          last30Days: Number(row.last_30_days),
          sources: (JSON.parse(row.sources ?? "[]") as string[]).sort(),
        }));
        if (rows[0] || offset === 0) return { total: Number(rows[0]?.total ?? 0), volumes };
        // A page after the last one has no row that holds the total.
        const [counted] = await file.rows<{ total: bigint }>({
          sql: `select count(distinct event) as total from ${databaseName}.events ${named}`,
          params: which,
        });
        return { total: Number(counted?.total ?? 0), volumes };
      }),
  };
}
