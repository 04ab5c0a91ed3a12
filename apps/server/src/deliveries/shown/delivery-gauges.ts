import { deliveryState } from "../../domain/delivery/delivery.js";
import type { Metrics } from "../../runtime/measures/metrics.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { readDeliveryFigures } from "../../storage/postgres/delivery/delivery-states.js";

const SECOND_MS = 1_000;

/** Shows the queue of each connector as metrics. They are read at each scrape. */
export function readDeliveryGauges(metrics: Metrics, database: Queryable): void {
  const { connectorQueue, connectorLag, connectorFailures, connectorDeadLetters } = metrics;
  metrics.scrapes.add({
    name: "connectors",
    gauges: [connectorQueue, connectorLag, connectorFailures, connectorDeadLetters],
    async read() {
      const all = await readDeliveryFigures(database);
      return () => {
        const now = Date.now();
        for (const { connectorId, queuedMessages, waitingSince, storedState, deadLetters } of all) {
          const labels = { connector: connectorId };
          connectorQueue.set(labels, queuedMessages);
          connectorLag.set(labels, waitingSince ? Math.max(0, now - waitingSince.getTime()) / SECOND_MS : 0);
          connectorFailures.set(labels, deliveryState(storedState).failures);
          connectorDeadLetters.set(labels, deadLetters);
        }
      };
    },
  });
}
