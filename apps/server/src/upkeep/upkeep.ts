import { HOUR_MS, MINUTE_MS } from "@muster/protocol";
import type { Logger } from "pino";
import { Loop } from "../runtime/loop.js";
import type { Database } from "../storage/postgres/database.js";
import { createPartitions, type DailyRetention, dropPartitions } from "../storage/postgres/partitions.js";
import type { Questions } from "../storage/questions/questions.js";
import { cleanErased } from "./clean-erased.js";

const EVERY_MS = HOUR_MS;

export interface UpkeepOptions {
  database: Database;
  questions: Questions;
  logger: Logger;
  /** Days that the rows of the daily tables are kept. */
  dailyRetention: DailyRetention;
}

/** Regular cleaning: creates partitions for the days to come, and drops old partitions and data of erased subjects. */
export async function startUpkeep(options: UpkeepOptions): Promise<Loop> {
  // Without partitions no entry can be accepted, so they are created before the server starts. The rest can wait.
  await createPartitions(options.database, new Date());
  const loop = new Loop({
    async step(signal) {
      await doUpkeep(options, signal);
      return EVERY_MS;
    },
    onError: (error) => options.logger.error({ err: error }, "upkeep failed"),
    // A step takes long and reads much, so a failing one is not repeated soon.
    firstRetryMs: MINUTE_MS,
    lastRetryMs: EVERY_MS,
  });
  loop.start();
  return loop;
}

async function doUpkeep(options: UpkeepOptions, signal: AbortSignal): Promise<void> {
  const { database, logger, dailyRetention } = options;
  await createPartitions(database, new Date());
  const dropped = await dropPartitions(database, new Date(), dailyRetention);
  if (dropped.length > 0) logger.info({ dropped }, "partitions of logs beyond their retention dropped");
  await cleanErased(options, signal);
}
