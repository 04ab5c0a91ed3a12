import { HOUR_MS, MINUTE_MS } from "@muster/protocol";
import type { Logger } from "pino";
import { Loop } from "../runtime/loops/loop.js";
import type { Database } from "../storage/postgres/database.js";
import { FIRST_BATCH, removeUnusedBatches } from "../storage/postgres/delivery/unused-batches.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import { ROWS_PER_STEP, removeOldRows } from "../storage/postgres/retention.js";
import { giveUpAbandoned } from "./abandoned-queues.js";
import { isDoneHere } from "./is-done-here.js";

export interface RetentionOptions {
  database: Database;
  leases: WorkLeases;
  logger: Logger;
  /** Days that finished work and its problems can be looked up. */
  historyDays: number;
}

const WORK = "removing rows beyond their retention";
const EVERY_MS = HOUR_MS;
// Takes over from a process that has ended.
const LOOK_EVERY_MS = MINUTE_MS;
// While there is much to remove, the database gets time for other work between two steps.
const PAUSE_MS = 250;

/** Removes rows that are older than their retention, in small steps. */
export function startRetention({ database, leases, logger, historyDays }: RetentionOptions): Loop {
  let batch = FIRST_BATCH;
  const loop = new Loop({
    async step() {
      if (!(await isDoneHere(leases, WORK))) return LOOK_EVERY_MS;
      const old = await removeOldRows(database, new Date(), { historyDays });
      const unused = await removeUnusedBatches(database, batch);
      batch = unused.last ?? FIRST_BATCH;
      const removed = { ...old, ...(unused.removed > 0 ? { message_batches: unused.removed } : {}) };
      if (Object.keys(removed).length > 0) logger.info({ removed }, "rows beyond their retention removed");
      const hasMore = await giveUpAbandoned({ database, leases, logger });
      const isBusy = hasMore || unused.last !== undefined;
      return isBusy || Object.values(removed).some((rows) => rows === ROWS_PER_STEP) ? PAUSE_MS : EVERY_MS;
    },
    onError: (error) => logger.error({ err: error }, "removing rows beyond their retention failed"),
  });
  loop.start();
  return loop;
}
