import type { Withheld } from "../../../domain/purposes/withheld.js";
import type { Database } from "../database.js";
import { withPartitions } from "../partitions.js";

/** There was no notification. */
const NO_NOTIFICATION = "00000000-0000-0000-0000-000000000000";

/**
 * Notes that messages were withheld: one note about a user and a connector in an hour, however many messages there were.
 * The figures of the connector count all of them.
 */
export async function noteWithheld(
  database: Database,
  organizationId: string,
  withheld: readonly Withheld[],
): Promise<void> {
  if (withheld.length === 0) return;
  const firsts = [...new Map(withheld.map((each) => [`${each.connectorId} ${each.userId}`, each])).values()];
  await withPartitions(database, () =>
    database.query(
      `insert into traces (
         organization_id, object_id, connector_id, channel, sent_at, duration_ms, result, status, notification_id,
         message_id, reason
       )
       select $1, w.user_id, w.connector_id, w.channel, now(), 0, 'skipped', 0, '${NO_NOTIFICATION}', w.message_id, w.reason
       from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
         as w (user_id, connector_id, channel, message_id, reason)
       where not exists (
           select from traces t
           where t.organization_id = $1 and t.object_id = w.user_id and t.connector_id = w.connector_id
             and t.notification_id = '${NO_NOTIFICATION}' and t.reason = w.reason and t.sent_at > now() - interval '1 hour'
         )
         -- Whoever was erased meanwhile leaves no note.
         and not exists (select from erased e where e.organization_id = $1 and e.id = w.user_id)`,
      [
        organizationId,
        firsts.map(({ userId }) => userId),
        firsts.map(({ connectorId }) => connectorId),
        firsts.map(({ channel }) => channel),
        firsts.map(({ messageId }) => messageId),
        firsts.map(({ reason }) => reason),
      ],
    ),
  );
}
