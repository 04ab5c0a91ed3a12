import type { Delivery } from "@muster/protocol/api/deliveries";
import type { Connector } from "../../domain/connectors/connector.js";
import { circuitOf, deliveryState } from "../../domain/delivery/delivery.js";
import { pauseReason } from "../../domain/delivery/pause-reason.js";
import type { Database } from "../../storage/postgres/database.js";
import { type DeliveryFigures, readDeliveryFigures } from "../../storage/postgres/delivery/delivery-states.js";

/** Shows the state of the delivery to each connector. */
export class DeliveryStates {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  async list(organizationId: string): Promise<Delivery[]> {
    const figures = await readDeliveryFigures(this.#database, { organizationId });
    return figures.map((each) => deliveryRecord(each, Date.now()));
  }

  /** Undefined when the connector was removed. */
  async find({ organizationId, id: connectorId }: Connector): Promise<Delivery | undefined> {
    const [figures] = await readDeliveryFigures(this.#database, { organizationId, connectorId });
    return figures && deliveryRecord(figures, Date.now());
  }
}

function deliveryRecord(figures: DeliveryFigures, now: number): Delivery {
  const { waitingSince } = figures;
  const state = deliveryState(figures.storedState);
  return {
    connector_id: figures.connectorId,
    queued_messages: figures.queuedMessages,
    lag_ms: waitingSince ? now - waitingSince.getTime() : 0,
    circuit: circuitOf(state, now),
    next_call_at: state.notBefore > now ? new Date(state.notBefore).toISOString() : null,
    pause_reason: pauseReason(state, now) ?? null,
    batch_size: state.size,
    failures: state.failures,
    last_error: state.lastError ?? null,
    sent_messages: figures.sentMessages,
    failed_calls: figures.failedCalls,
    dead_messages: figures.deadMessages,
    dead_letters: figures.deadLetters,
    last_sent_at: figures.lastSentAt?.toISOString() ?? null,
    last_failed_at: figures.lastFailedAt?.toISOString() ?? null,
  };
}
