import type { LanePositions } from "../../../domain/entries/lanes.js";
import type { NatsClient } from "./nats-client.js";

const SUBJECT = "muster.wake";

/**
 * Tells the processes that work on organizations that batches were appended. These are plain NATS messages, which may
 * be lost: every process also checks the streams from time to time.
 */
export class AppendSignals {
  readonly #client: NatsClient;

  constructor(client: NatsClient) {
    this.#client = client;
  }

  async send(organizationId: string, positions: LanePositions): Promise<void> {
    const { connection } = await this.#client.use();
    connection.publish(`${SUBJECT}.${organizationId}`, JSON.stringify(positions));
  }

  /** The subscription is kept when the connection is lost and opened again. */
  async receive(listener: (organizationId: string, positions: LanePositions) => void): Promise<void> {
    const { connection } = await this.#client.use();
    connection.subscribe(`${SUBJECT}.*`, {
      callback(error, message) {
        if (error) return;
        listener(message.subject.slice(SUBJECT.length + 1), message.json<LanePositions>());
      },
    });
  }
}
