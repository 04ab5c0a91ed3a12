import { createdAtOfId } from "@muster/protocol";
import type { StoredEvent } from "../../domain/change-set.js";
import type { ClickHouse } from "../../engines/clickhouse.js";

/** One event by its id. The id carries the event's time, which finds the few parts that can hold it. */
export async function findEvent(
  clickhouse: ClickHouse,
  organizationId: string,
  id: string,
): Promise<StoredEvent | undefined> {
  const [row] = await clickhouse.rows<{ doc: string }>(
    `select doc
     from events final
     where org = {org:String} and id = {id:String}
       and (created_at = fromUnixTimestamp64Milli({ms:Int64}) or {ms:Int64} = 0)
     limit 1`,
    { org: organizationId, id, ms: createdAtOfId(id).getTime() },
  );
  return row && (JSON.parse(row.doc) as StoredEvent);
}

/** How often each event was recorded for a user; what the platform itself notes does not count. */
export async function countEvents(
  clickhouse: ClickHouse,
  organizationId: string,
  userId: string,
): Promise<Record<string, number>> {
  const rows = await clickhouse.rows<{ event: string; count: number }>(
    `select event, count() as count
     from events final
     where org = {org:String} and user_id = {user:String} and source != 'platform'
     group by event
     order by event`,
    { org: organizationId, user: userId },
  );
  return Object.fromEntries(rows.map(({ event, count }) => [event, count]));
}

export interface EventCount {
  event: string;
  count: number;
  /** Whether the platform itself has made some of them. */
  emitted: boolean;
  firstAt: string;
  lastAt: string;
}

/** How often each event was recorded in an organization. */
export async function countEventsByName(clickhouse: ClickHouse, organizationId: string): Promise<EventCount[]> {
  const rows = await clickhouse.rows<{ event: string; count: number; emitted: number; first: number; last: number }>(
    `select event, count() as count, max(source = 'platform') as emitted,
       toFloat64(toUnixTimestamp64Milli(min(created_at))) as first,
       toFloat64(toUnixTimestamp64Milli(max(created_at))) as last
     from events final
     where org = {org:String}
     group by event`,
    { org: organizationId },
  );
  return rows.map(({ event, count, emitted, first, last }) => ({
    event,
    count,
    emitted: emitted === 1,
    firstAt: new Date(first).toISOString(),
    lastAt: new Date(last).toISOString(),
  }));
}
