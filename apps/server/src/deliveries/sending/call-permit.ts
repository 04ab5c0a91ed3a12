import type { Logger } from "pino";
import { Loop } from "../../runtime/loops/loop.js";
import type { Database } from "../../storage/postgres/database.js";
import { type HeldCalls, readHeldCalls, releaseCalls } from "../../storage/postgres/delivery/held-calls.js";

const LOOK_EVERY_MS = 2_000;

/**
 * Whether connectors may be called. After a restore, calls are paused until the operator allows them: the server that
 * was backed up may still run, and connectors would get its messages twice.
 */
export class CallPermit {
  readonly #database: Database;
  readonly #logger: Logger;

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  held(): Promise<HeldCalls | undefined> {
    return readHeldCalls(this.#database);
  }

  /** Allows calls. Returns whether they were paused before. Other processes notice the change within seconds. */
  async release(): Promise<boolean> {
    return releaseCalls(this.#database);
  }

  /** Calls `start` as soon as calls are allowed. Returns a function that cancels the wait. */
  whenGiven(start: () => void): () => Promise<void> {
    let isToldOf = false;
    const waiting = new Loop({
      step: async () => {
        const held = await this.held();
        if (!held) {
          start();
          return undefined;
        }
        if (!isToldOf) {
          const backupOf = held.backupOf.toISOString();
          this.#logger.warn({ backupOf }, "no connector is called since a restore: muster restore --resume-deliveries");
        }
        isToldOf = true;
        return LOOK_EVERY_MS;
      },
      onError: (error) => this.#logger.error({ err: error }, "whether connectors may be called could not be read"),
    });
    waiting.start();
    return () => waiting.stop();
  }
}
