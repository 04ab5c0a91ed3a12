import type { Logger } from "pino";
import { Loop } from "../../../runtime/loops/loop.js";
import type { Database } from "../database.js";
import { SYSTEM_CLOCK } from "./lease-clock.js";
import { extendHolder } from "./lease-holders.js";
import { SharedRenewal } from "./shared-renewal.js";
import { LEASE_MS, RENEWALS_PER_LEASE } from "./work-leases.js";

export interface LeaseKeeperOptions {
  database: Database;
  logger: Logger;
  /** The holder whose leases are kept, and what it shares with this thread. */
  holderId: string;
  shared: SharedRenewal;
  leaseMs?: number;
  /** A holder that was silent for longer than this is taken for dead, and its leases run out. */
  silenceMs?: number;
}

// Far longer than any computation of a step without a pause, and short enough for a thread that hangs.
const SILENCE_MS = 60_000;
// A thread that is not busy renews its leases itself, and a second renewal would cost an idle server a transaction.
const LATE = 1.25;

/** Renews the leases of another thread when the thread is late with it, because it may be too busy. */
export class LeaseKeeper {
  readonly #loop: Loop;

  constructor({ database, logger, holderId, shared, leaseMs = LEASE_MS, silenceMs = SILENCE_MS }: LeaseKeeperOptions) {
    const everyMs = leaseMs / RENEWALS_PER_LEASE;
    const lateMs = everyMs * LATE;
    this.#loop = new Loop({
      async step() {
        const { silentMs } = shared;
        if (silentMs === undefined || silentMs > silenceMs) return everyMs;
        const untilLateMs = lateMs - shared.renewedMsAgo;
        if (untilLateMs > 0) return untilLateMs;
        const begun = shared.now();
        if (await extendHolder(database, holderId, leaseMs)) shared.renewed(begun);
        return everyMs;
      },
      onError: (error) => logger.warn({ err: error }, "leases on work could not be renewed"),
      lastRetryMs: everyMs,
    });
  }

  start(): void {
    this.#loop.start();
  }

  async close(): Promise<void> {
    await this.#loop.stop();
  }
}

/** What the leases of another thread share with this one. */
export function shareRenewal(): SharedRenewal {
  return new SharedRenewal(SYSTEM_CLOCK);
}
