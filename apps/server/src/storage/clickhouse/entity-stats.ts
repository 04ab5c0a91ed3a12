import type { EntityStats } from "../../domain/entity-record.js";
import type { ClickHouse } from "../../engines/clickhouse.js";

/** The last word of a user about an entity decides whether it is liked. */
const LIKES = `select user_id, entity_id, lower(argMax(event, (created_at, id))) = 'like' as likes
       from events final
       where org = {org:String} and lower(event) in ('like', 'unlike')`;

/** What users did to entities, by id. */
export async function countEntityActions(
  clickhouse: ClickHouse,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, EntityStats>> {
  const stats = new Map<string, EntityStats>(ids.map((id) => [id, { actions: {}, likes: 0 }]));
  if (ids.length === 0) return stats;
  const params = { org: organizationId, ids };
  const [actions, likes] = await Promise.all([
    clickhouse.rows<{ entity_id: string; event: string; count: number }>(
      `select entity_id, event, count() as count
       from events final
       where org = {org:String} and entity_id in {ids:Array(String)}
       group by entity_id, event
       order by event`,
      params,
    ),
    clickhouse.rows<{ entity_id: string; count: number }>(
      `select entity_id, count() as count
       from (${LIKES} and entity_id in {ids:Array(String)} group by user_id, entity_id)
       where likes
       group by entity_id`,
      params,
    ),
  ]);
  for (const { entity_id, event, count } of actions) {
    const found = stats.get(entity_id);
    if (found) found.actions[event] = count;
  }
  for (const { entity_id, count } of likes) {
    const found = stats.get(entity_id);
    if (found) found.likes = count;
  }
  return stats;
}

/** How many entities a user likes now. */
export async function countLiked(clickhouse: ClickHouse, organizationId: string, userId: string): Promise<number> {
  const [row] = await clickhouse.rows<{ count: number }>(
    `select count() as count
     from (${LIKES} and user_id = {user:String} and entity_id != '' group by user_id, entity_id)
     where likes`,
    { org: organizationId, user: userId },
  );
  return row?.count ?? 0;
}
