import { LRUCache } from "lru-cache";
import type { StoredMessage } from "../../domain/delivery/message.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { readBatch, type StoredBatch } from "../../storage/postgres/delivery/outbox.js";

// A batch takes some hundred kilobytes. Connectors without a backlog all read the newest few batches.
const MAX_BATCHES = 32;
// Messages have whole reports, and a report may be large.
const MAX_BYTES = 64 * 1024 * 1024;

/** Caches the batches of messages that were read last, so that a batch for several connectors is decompressed once. */
export class MessageCache {
  readonly #batches: LRUCache<number, StoredBatch, string>;

  constructor(database: Queryable) {
    this.#batches = new LRUCache({
      max: MAX_BATCHES,
      maxSize: MAX_BYTES,
      // The cache refuses a size of 0.
      sizeCalculation: ({ bytes }) => Math.max(1, bytes),
      fetchMethod: (batchId, _known, { context }) => readBatch(database, context, batchId),
    });
  }

  async read(organizationId: string, batchId: number): Promise<readonly StoredMessage[]> {
    return (await this.#batches.fetch(batchId, { context: organizationId }))?.messages ?? [];
  }
}
