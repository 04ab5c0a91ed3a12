import type { Queryable } from "../database.js";

/** How much was sent to a connector, and how many calls to it failed. */
export interface DeliveryCounts {
  sentMessages: number;
  failedCalls: number;
}

/** What was sent to each connector of an organization since a time, to the minute. Connectors without calls are left out. */
export async function readDeliveryCounts(
  database: Queryable,
  organizationId: string,
  since: Date,
): Promise<Map<string, DeliveryCounts>> {
  const { rows } = await database.query<{ connector_id: string; sent: string; failed: string }>(
    `select connector_id, sum(delivered) as sent, sum(failed_calls) as failed
     from delivery_minutes
     where organization_id = $1 and minute >= $2
     group by connector_id`,
    [organizationId, since],
  );
  return new Map(
    rows.map(({ connector_id, sent, failed }) => [
      connector_id,
      { sentMessages: Number(sent), failedCalls: Number(failed) },
    ]),
  );
}
