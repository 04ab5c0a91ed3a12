import { MINUTE_MS } from "@muster/protocol";
import { combineUpdates } from "../../domain/delivery/combine-updates.js";
import { objectIdOf, type StoredMessage } from "../../domain/delivery/message.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { type QueueProgress, type QueueRow, readQueue } from "../../storage/postgres/delivery/outbox.js";
import { goesWith, type QueueHead } from "./connector-queue.js";
import type { MessageCache } from "./message-cache.js";

export interface CombiningQueueOptions {
  database: Queryable;
  cache: MessageCache;
  organizationId: string;
  connectorId: string;
  /** How long a message about a user or account waits for later ones. */
  holdMs: number;
}

/** Messages that are sent as one, and where each is in the queue. */
interface Combined {
  parts: StoredMessage[];
  places: { position: number; place: number }[];
  madeAt: Date;
}

/** Bounds what is read for one call. Later messages of the same users and accounts are sent in the next one. */
const ROWS_PER_READ = 100;
const MAX_SCANNED = 1_000;
const MAX_PARTS = 100;

/**
 * The queue of a connector that wants the updates of one user or account combined. A message is sent when it has waited
 * for `holdMs`, together with all later ones about the same subject that are in the queue by then. The rows of the queue
 * stay as they are until the call has succeeded, so a crash loses and adds nothing. Messages about one subject stay in
 * their order; those about different ones may change places, as between users and accounts.
 */
export class CombiningQueue {
  readonly #options: CombiningQueueOptions;
  #rows: QueueRow[] = [];
  /** The messages of the last head. */
  #head: Combined[] = [];

  constructor(options: CombiningQueueOptions) {
    this.#options = options;
  }

  /** It is read again for every call: whatever has come meanwhile may belong to messages that were there before. */
  has(): boolean {
    return false;
  }

  /** The first messages, up to `max`, all for one subscription and channel; undefined when the queue is empty. */
  async head(max: number, now = Date.now()): Promise<QueueHead | undefined> {
    const { database, organizationId, connectorId } = this.#options;
    this.#rows = await readQueue(database, organizationId, connectorId, ROWS_PER_READ);
    this.#head = [];
    const [first] = this.#rows;
    if (!first) return undefined;
    const { url, channel, isExport } = first;
    const waitMs = this.#waitMs(first, now);
    const common = { url, channel, isExport, waitMs };
    if (waitMs > 0) return { ...common, messages: [], madeAt: [], firstId: "", isComplete: false };
    const { combined, isComplete } = await this.#combine(first, max, now);
    this.#head = combined;
    return {
      ...common,
      messages: combined.map(messageOf),
      madeAt: combined.map(({ madeAt }) => madeAt),
      firstId: combined[0]?.parts[0]?.message_id ?? "",
      isComplete,
    };
  }

  /** How many messages of the queue the first `count` messages of the head consist of. */
  queued(count: number): number {
    return this.#head.slice(0, count).reduce((sum, { parts }) => sum + parts.length, 0);
  }

  /** How many messages of the queue one message of the head consists of. */
  partsOf(index: number): number {
    return this.#head[index]?.parts.length ?? 0;
  }

  /** Nothing is known ahead: the next call is made of what is in the queue then. */
  async readAhead(): Promise<void> {}

  /** Moves on by `count` messages of the head. Returns what must be stored for that. */
  advance(count: number): Pick<QueueProgress, "done" | "rewritten"> {
    const gone = new Map<number, Set<number>>();
    for (const { places } of this.#head.slice(0, count)) {
      for (const { position, place } of places) {
        const known = gone.get(position);
        if (known) known.add(place);
        else gone.set(position, new Set([place]));
      }
    }
    this.#head = [];
    const done: number[] = [];
    const rewritten: NonNullable<QueueProgress["rewritten"]> = [];
    for (const { position, chosen, sent, tries } of this.#rows) {
      const places = gone.get(position);
      if (!places) continue;
      const left = chosen.slice(sent).filter((place) => !places.has(place));
      if (left.length === 0) done.push(position);
      else rewritten.push({ position, chosen: left, tries });
    }
    return { done, rewritten };
  }

  forget(): void {
    this.#rows = [];
    this.#head = [];
  }

  async #combine(first: QueueRow, max: number, now: number): Promise<{ combined: Combined[]; isComplete: boolean }> {
    const { cache, organizationId } = this.#options;
    const combined = new Map<string, Combined>();
    let scanned = 0;
    for (const row of this.#rows) {
      if (!goesWith(row, first)) {
        // Updates pass one another. Any other message, such as one about a changed segment, keeps its place among them.
        if (isUpdate(row) && isUpdate(first)) continue;
        return { combined: [...combined.values()], isComplete: true };
      }
      const batch = await cache.read(organizationId, row.batchId);
      const isDue = this.#waitMs(row, now) === 0;
      for (const place of row.chosen.slice(row.sent)) {
        const message = batch[place]!;
        const origin = { position: row.position, place };
        const key = isUpdate(row) ? objectIdOf(message) : `${row.position} ${place}`;
        const known = combined.get(key);
        if (known && known.parts.length < MAX_PARTS) {
          known.parts.push(message);
          known.places.push(origin);
        } else if (!known && isDue && combined.size < max) {
          combined.set(key, { parts: [message], places: [origin], madeAt: row.createdAt });
        }
        scanned += 1;
      }
      if (scanned >= MAX_SCANNED) break;
    }
    return { combined: [...combined.values()], isComplete: combined.size >= max };
  }

  /** How long a row still waits. Its time comes from the clock of the database: one that differs much says nothing. */
  #waitMs(row: QueueRow, now: number): number {
    const since = row.createdAt.getTime();
    return isUpdate(row) && since < now + MINUTE_MS ? Math.max(0, since + this.#options.holdMs - now) : 0;
  }
}

function messageOf({ parts }: Combined): StoredMessage {
  const [first, ...later] = parts.filter((part) => part.kind !== "notice");
  return first && later.length > 0 ? combineUpdates(first, ...later) : parts[0]!;
}

function isUpdate({ channel, isExport }: QueueRow): boolean {
  return !isExport && (channel === "user:update" || channel === "account:update");
}
