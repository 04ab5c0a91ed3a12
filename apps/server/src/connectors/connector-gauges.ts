import { Gauge, type Registry } from "prom-client";
import type { Queryable } from "../storage/postgres/database.js";
import { readDeliveryFigures } from "../storage/postgres/delivery-states.js";

/** Registers the figures of each connector's queue, which are read when somebody asks. */
export function registerConnectorGauges(registry: Registry, database: Queryable): void {
  const registers = [registry];
  const labelNames = ["connector"];
  const lag = new Gauge({
    name: "muster_connector_lag_seconds",
    help: "Age of the oldest message that waits for a connector.",
    labelNames,
    registers,
  });
  const failing = new Gauge({
    name: "muster_connector_failures",
    help: "Calls to a connector that failed in a row.",
    labelNames,
    registers,
  });
  const dead = new Gauge({
    name: "muster_connector_dead_letters",
    help: "Messages that could not be delivered to a connector.",
    labelNames,
    registers,
  });
  new Gauge({
    name: "muster_connector_queue_messages",
    help: "Messages that wait for a connector.",
    labelNames,
    registers,
    async collect() {
      for (const gauge of [this, lag, failing, dead]) gauge.reset();
      for (const figures of await readDeliveryFigures(database)) {
        const labels = { connector: figures.connectorId };
        this.set(labels, figures.queuedMessages);
        lag.set(labels, figures.waitingSince ? (Date.now() - figures.waitingSince.getTime()) / 1_000 : 0);
        failing.set(labels, figures.state.failures);
        dead.set(labels, figures.deadLetters);
      }
    },
  });
}
