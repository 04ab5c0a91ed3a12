import { LRUCache } from "lru-cache";
import type { StoredMessage } from "../domain/delivery/message.js";
import type { Queryable } from "../storage/postgres/database.js";
import { readMessages } from "../storage/postgres/delivery/outbox.js";

// A batch takes some hundred kilobytes. Connectors without a backlog all read the newest few batches.
const MAX_BATCHES = 32;

/** Keeps the batches of messages that were read last, so that a batch for several connectors is unpacked once. */
export class MessageCache {
  readonly #database: Queryable;
  readonly #batches = new LRUCache<number, Promise<StoredMessage[]>>({ max: MAX_BATCHES });

  constructor(database: Queryable) {
    this.#database = database;
  }

  read(organizationId: string, batchId: number): Promise<StoredMessage[]> {
    const known = this.#batches.get(batchId);
    if (known) return known;
    const read = readMessages(this.#database, organizationId, batchId);
    this.#batches.set(batchId, read);
    read.catch(() => this.#batches.delete(batchId));
    return read;
  }
}
