import type { StoredMessage } from "../domain/delivery/message.js";
import type { Queryable } from "../storage/postgres/database.js";
import { readMessages } from "../storage/postgres/delivery/outbox.js";

// Of some hundred kilobytes each; connectors that keep up read the same few.
const MAX_BATCHES = 32;

/** Batches of messages as they were read last: connectors that get the same batch unpack it once. */
export class MessageCache {
  readonly #database: Queryable;
  readonly #batches = new Map<number, Promise<StoredMessage[]>>();

  constructor(database: Queryable) {
    this.#database = database;
  }

  read(organizationId: string, batchId: number): Promise<StoredMessage[]> {
    const known = this.#batches.get(batchId);
    if (known) return known;
    const read = readMessages(this.#database, organizationId, batchId);
    this.#batches.set(batchId, read);
    read.catch(() => this.#batches.delete(batchId));
    const [oldest] = this.#batches.keys();
    if (this.#batches.size > MAX_BATCHES && oldest !== undefined) this.#batches.delete(oldest);
    return read;
  }
}
