import { DAY_MS, HOUR_MS, MINUTE_MS } from "@muster/protocol";
import type { Logger } from "pino";
import { Loop } from "../runtime/loops/loop.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import { forgetErasedHashes } from "../storage/postgres/changes/erased-identifiers.js";
import type { Database } from "../storage/postgres/database.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import { createPartitions, type DailyRetention, dropPartitions } from "../storage/postgres/partitions.js";
import { isDoneHere } from "./is-done-here.js";

const WORK = "upkeep of the daily tables";
const EVERY_MS = HOUR_MS;
// Takes over from a process that has ended.
const LOOK_EVERY_MS = MINUTE_MS;
/** Much longer than records wait in files, queues and browsers that are offline. */
const ERASED_HASHES_DAYS = 365;

export interface UpkeepOptions {
  database: Database;
  log: Pick<IngestionLog, "trim">;
  leases: WorkLeases;
  logger: Logger;
  /** Days that the rows of the daily tables are kept. */
  dailyRetention: DailyRetention;
}

/** Regular cleaning: creates partitions for the days to come, and drops data that is too old. */
export function startUpkeep(options: UpkeepOptions): Loop {
  const loop = new Loop({
    async step() {
      if (!(await isDoneHere(options.leases, WORK))) return LOOK_EVERY_MS;
      await doUpkeep(options);
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

async function doUpkeep({ database, log, logger, dailyRetention }: UpkeepOptions): Promise<void> {
  await createPartitions(database, new Date());
  const dropped = await dropPartitions(database, new Date(), dailyRetention);
  if (dropped.length > 0) logger.info({ dropped }, "partitions of logs beyond their retention dropped");
  await forgetErasedHashes(database, ERASED_HASHES_DAYS);
  await log.trim(new Date(Date.now() - dailyRetention.ingest_log * DAY_MS));
}
