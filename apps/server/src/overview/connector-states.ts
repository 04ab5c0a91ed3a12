import { HOUR_MS } from "@muster/protocol";
import type { ConnectorState } from "@muster/protocol/api/overview";
import type { Connectors } from "../connectors/connectors.js";
import type { DeliveryStates } from "../deliveries/shown/delivery-states.js";
import type { Database } from "../storage/postgres/database.js";
import { readDeliveryCounts } from "../storage/postgres/figures/delivery-figures.js";

export interface ConnectorStatesOptions {
  database: Database;
  connectors: Pick<Connectors, "list">;
  deliveryStates: Pick<DeliveryStates, "list">;
}

/** The connectors of an organization, those with trouble first. */
export async function readConnectorStates(
  { database, connectors, deliveryStates }: ConnectorStatesOptions,
  organizationId: string,
  now: Date,
): Promise<ConnectorState[]> {
  const [all, deliveries, counts] = await Promise.all([
    connectors.list(organizationId),
    deliveryStates.list(organizationId),
    readDeliveryCounts(database, organizationId, new Date(now.getTime() - HOUR_MS)),
  ]);
  const deliveryOf = new Map(deliveries.map((delivery) => [delivery.connector_id, delivery]));
  const states = all.map((connector): ConnectorState => {
    const delivery = deliveryOf.get(connector.id);
    const counted = counts.get(connector.id);
    return {
      id: connector.id,
      name: connector.name,
      enabled: connector.enabled,
      status: connector.status,
      messages: connector.statusMessages,
      receives: connector.sourceUrl !== null,
      queued_messages: delivery?.queued_messages ?? 0,
      lag_ms: Math.max(0, delivery?.lag_ms ?? 0),
      circuit: delivery?.circuit ?? "closed",
      last_error: delivery?.last_error ?? null,
      dead_letters: delivery?.dead_letters ?? 0,
      sent_last_hour: counted?.sentMessages ?? 0,
      failed_last_hour: counted?.failedCalls ?? 0,
    };
  });
  return states.sort((one, other) => troubleOf(other) - troubleOf(one) || (one.name < other.name ? -1 : 1));
}

/** How urgently a connector needs attention. What stops the connector is the most urgent. */
function troubleOf({ enabled, status, circuit, dead_letters, failed_last_hour }: ConnectorState): number {
  if (!enabled) return -1;
  if (status === "error") return 6;
  if (circuit !== "closed") return 5;
  if (status === "setupRequired") return 4;
  if (dead_letters > 0) return 3;
  if (status === "warning") return 2;
  return failed_last_hour > 0 ? 1 : 0;
}
