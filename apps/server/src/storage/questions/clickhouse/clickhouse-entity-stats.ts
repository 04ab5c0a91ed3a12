import type { EntityStats } from "../../../domain/entities/entity-record.js";
import type { EventFigures } from "../event-figures.js";
import type { Statements } from "./client/statements.js";

/** A user likes an entity if the last of the user's `like` and `unlike` events about it is `like`. */
const LIKES = `select user_id, entity_id, lower(argMax(event, (created_at, id))) = 'like' as likes
       from events final
       where org = {org:FixedString(24)} and lower(event) in ('like', 'unlike')`;

const LIMITED = { isLimited: true } as const;

/** Counts of what users did with entities. */
export function clickhouseEntityStats(statements: Statements): Pick<EventFigures, "countEntityActions"> {
  return {
    async countEntityActions(organizationId, ids) {
      const stats = new Map<string, EntityStats>(ids.map((id) => [id, { actions: {}, likes: 0 }]));
      if (ids.length === 0) return stats;
      const params = { org: organizationId, ids };
      const [actions, likes] = await Promise.all([
        statements.rows<{ entity_id: string; event: string; count: number }>(
          `select entity_id, event, count() as count
           from events final
           where org = {org:FixedString(24)} and entity_id in {ids:Array(String)}
           group by entity_id, event
           order by event`,
          params,
          LIMITED,
        ),
        statements.rows<{ entity_id: string; count: number }>(
          `select entity_id, count() as count
           from (${LIKES} and entity_id in {ids:Array(String)} group by user_id, entity_id)
           where likes
           group by entity_id`,
          params,
          LIMITED,
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
    },
  };
}

/** How many entities a user likes now, by those of the events that fulfil a condition. */
export async function countLiked(
  statements: Statements,
  organizationId: string,
  userId: string,
  condition: string,
): Promise<number> {
  const [row] = await statements.rows<{ count: number }>(
    `select count() as count
     from (${LIKES} and user_id = {user:FixedString(24)} and ${condition} and entity_id != '' group by user_id, entity_id)
     where likes`,
    { org: organizationId, user: userId },
    LIMITED,
  );
  return row?.count ?? 0;
}
