import { MINUTE_MS } from "@muster/protocol";
import type { Logger } from "pino";
import { Loop } from "../../../runtime/loops/loop.js";
import { bucketOf } from "../../../runtime/measures/lag-buckets.js";
import type { Database } from "../database.js";
import { addLags, type LagCount, type LagStage } from "./lag-figures.js";

export interface LagRecorderOptions {
  database: Database;
  logger: Logger;
}

const WRITE_EVERY_MS = 1_000;
// So many different counts wait only while the database accepts no writes. Then memory matters more than these figures.
const MAX_WAITING = 20_000;

/**
 * Counts how long records took in each stage, and stores the counts once a second. A process that is killed loses the
 * counts of its last second.
 */
export class LagRecorder {
  readonly #database: Database;
  readonly #loop: Loop;
  #waiting = new Map<string, LagCount>();

  constructor({ database, logger }: LagRecorderOptions) {
    this.#database = database;
    this.#loop = new Loop({
      step: async () => {
        await this.#write();
        return WRITE_EVERY_MS;
      },
      onError: (error) => logger.warn({ err: error }, "figures about the lag could not be written"),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Counts records that left a stage now, and came to it at `since`. */
  add(organizationId: string, stage: LagStage, since: number, records = 1): void {
    const now = Date.now();
    const at = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    const bucket = bucketOf(now - since);
    const key = `${organizationId} ${stage} ${at} ${bucket}`;
    const waiting = this.#waiting.get(key);
    if (waiting) waiting.records += records;
    else if (this.#waiting.size < MAX_WAITING) {
      this.#waiting.set(key, { organizationId, stage, at: new Date(at), bucket, records });
    }
  }

  /** Stores what is left. */
  async close(): Promise<void> {
    await this.#loop.stop();
    // The database may be unavailable, and these figures are not worth an error.
    await this.#write().catch(() => undefined);
  }

  async #write(): Promise<void> {
    const counts = this.#waiting;
    if (counts.size === 0) return;
    this.#waiting = new Map();
    try {
      await addLags(this.#database, [...counts.values()]);
    } catch (error) {
      for (const [key, count] of this.#waiting) {
        const before = counts.get(key);
        if (before) before.records += count.records;
        else counts.set(key, count);
      }
      this.#waiting = counts;
      throw error;
    }
  }
}
