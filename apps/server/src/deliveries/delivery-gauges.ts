import { Gauge, type Registry } from "prom-client";
import { deliveryState } from "../domain/delivery/delivery.js";
import type { Queryable } from "../storage/postgres/database.js";
import { type DeliveryFigures, readDeliveryFigures } from "../storage/postgres/delivery/delivery-states.js";

const GAUGES: { name: string; help: string; value(figures: DeliveryFigures, now: number): number }[] = [
  {
    name: "muster_connector_queue_messages",
    help: "Messages that wait for a connector.",
    value: ({ queuedMessages }) => queuedMessages,
  },
  {
    name: "muster_connector_lag_seconds",
    help: "Age of the oldest message that waits for a connector.",
    value: ({ waitingSince }, now) => (waitingSince ? (now - waitingSince.getTime()) / 1_000 : 0),
  },
  {
    name: "muster_connector_failures",
    help: "Calls to a connector that failed in a row.",
    value: ({ storedState }) => deliveryState(storedState).failures,
  },
  {
    name: "muster_connector_dead_letters",
    help: "Messages that could not be delivered to a connector.",
    value: ({ deadLetters }) => deadLetters,
  },
];

// All gauges of one scrape share one query.
const FRESH_MS = 1_000;

/** Registers the figures of each connector's queue as metrics. They are read at each scrape. */
export function registerDeliveryGauges(registry: Registry, database: Queryable): void {
  let read: { figures: Promise<DeliveryFigures[]>; at: number } | undefined;
  const recentFigures = (now: number) => {
    if (!read || now - read.at > FRESH_MS) read = { figures: readDeliveryFigures(database), at: now };
    return read.figures;
  };
  for (const { name, help, value } of GAUGES) {
    new Gauge({
      name,
      help,
      labelNames: ["connector"],
      registers: [registry],
      async collect() {
        const now = Date.now();
        const all = await recentFigures(now);
        this.reset();
        for (const figures of all) this.set({ connector: figures.connectorId }, value(figures, now));
      },
    });
  }
}
