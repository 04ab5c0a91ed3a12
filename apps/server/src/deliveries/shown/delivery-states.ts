import type { Connector } from "../../domain/connectors/connector.js";
import { type Circuit, circuitOf, deliveryState } from "../../domain/delivery/delivery.js";
import { pauseReason } from "../../domain/delivery/pause-reason.js";
import type { Database } from "../../storage/postgres/database.js";
import { type DeliveryFigures, readDeliveryFigures } from "../../storage/postgres/delivery/delivery-states.js";

export interface DeliveryRecord {
  connector_id: string;
  queued_messages: number;
  lag_ms: number;
  circuit: Circuit;
  next_call_at: string | null;
  pause_reason: string | null;
  batch_size: number;
  failures: number;
  last_error: string | null;
  sent_messages: number;
  failed_calls: number;
  dead_messages: number;
  dead_letters: number;
  last_sent_at: string | null;
  last_failed_at: string | null;
}

/** Shows the state of the delivery to each connector. */
export class DeliveryStates {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  async list(organizationId: string): Promise<DeliveryRecord[]> {
    const figures = await readDeliveryFigures(this.#database, { organizationId });
    return figures.map((each) => deliveryRecord(each, Date.now()));
  }

  /** Undefined when the connector was removed. */
  async find({ organizationId, id: connectorId }: Connector): Promise<DeliveryRecord | undefined> {
    const [figures] = await readDeliveryFigures(this.#database, { organizationId, connectorId });
    return figures && deliveryRecord(figures, Date.now());
  }
}

function deliveryRecord(figures: DeliveryFigures, now: number): DeliveryRecord {
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
