import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { ConfigError } from "../runtime/config.js";
import { Loop } from "../runtime/loop.js";
import type { Database } from "../storage/postgres/database.js";
import { WorkLocks } from "../storage/postgres/work-locks.js";

const WORK = "the embedded question engine";
const LOOK_EVERY_MS = 1_000;
// PostgreSQL notices within half a minute that the machine of a process is gone.
const WAIT_MS = 45_000;

/**
 * Makes this process the only one that fills an embedded question engine from this database. A second one would have an
 * engine of its own: each would evaluate segments with half of the data. A process that is just being stopped is waited
 * for. Returns a function that gives the work back.
 */
export async function ownEmbeddedEngine(
  database: Database,
  logger: Logger,
  waitMs = WAIT_MS,
): Promise<() => Promise<void>> {
  const deadline = performance.now() + waitMs;
  const locks = new WorkLocks(database, () => watch.wake());
  const watch = new Loop({
    async step() {
      if (await locks.take(WORK)) return undefined;
      logger.error("another server fills an embedded question engine from the same database; stop one of the two");
      return 10 * LOOK_EVERY_MS;
    },
    onError: (error) => logger.error({ err: error }, "the claim on the embedded question engine was lost"),
  });
  while (!(await locks.take(WORK))) {
    if (performance.now() >= deadline) {
      await locks.close();
      throw new ConfigError(
        "Another server works on the database of DATABASE_URL with its own embedded question engine. Stop it first, or give all servers the same CLICKHOUSE_URL.",
      );
    }
    logger.info("waiting for another server on the same database to stop");
    await sleep(Math.min(LOOK_EVERY_MS, waitMs));
  }
  watch.start();
  return async () => {
    await watch.stop();
    await locks.close();
  };
}
