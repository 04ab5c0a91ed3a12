import type { Logger } from "pino";
import type { Database } from "../storage/postgres/database.js";
import { createPartitions, dropPartitions, forgetReceipts } from "../storage/postgres/log-retention.js";

const EVERY_MS = 60 * 60 * 1_000;

export interface UpkeepOptions {
  database: Database;
  logger: Logger;
  logRetentionDays: number;
}

/** What must be done now and then: partitions for the days to come, and letting go of what is too old. */
export async function startUpkeep({ database, logger, logRetentionDays }: UpkeepOptions): Promise<{ stop(): void }> {
  const run = async () => {
    await createPartitions(database, new Date());
    const dropped = await dropPartitions(database, new Date(), logRetentionDays);
    if (dropped.length > 0) logger.info({ dropped }, "old partitions of the ingestion log dropped");
    await forgetReceipts(database);
  };
  await run();
  const timer = setInterval(() => {
    run().catch((error) => logger.error({ err: error }, "upkeep failed"));
  }, EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
