import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Loop } from "../runtime/loops/loop.js";
import { ConfigError } from "../runtime/settings/config.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";

const WORK = "the embedded question engine";
const LOOK_EVERY_MS = 500;
const TELL_EVERY_MS = 10_000;
// The lease of a dead process expires within this time.
const WAIT_MS = 20_000;

/**
 * Makes this process the only one that fills an embedded question engine from this database. A second one would have an
 * engine of its own: each would evaluate segments with half of the data. Waits for a process that is
 * being stopped. Returns a function that releases the lease.
 */
export async function ownEmbeddedEngine(
  leases: WorkLeases,
  logger: Logger,
  waitMs = WAIT_MS,
): Promise<() => Promise<void>> {
  const deadline = performance.now() + waitMs;
  const watch = new Loop({
    async step() {
      if (await leases.take(WORK)) return undefined;
      logger.error("another server fills an embedded question engine from the same database; stop one of the two");
      return TELL_EVERY_MS;
    },
    onError: (error) => logger.error({ err: error }, "the lease on the embedded question engine was lost"),
  });
  while (!(await leases.take(WORK))) {
    if (performance.now() >= deadline) {
      throw new ConfigError(
        "Another server works on the database of DATABASE_URL with its own embedded question engine. Stop it first, or give all servers the same CLICKHOUSE_URL.",
      );
    }
    logger.info("waiting for another server on the same database to stop");
    await sleep(Math.min(LOOK_EVERY_MS, waitMs));
  }
  const stopListening = leases.onChange(() => watch.wake());
  watch.start();
  return async () => {
    stopListening();
    await watch.stop();
    await leases.release(WORK).catch((error: unknown) => {
      logger.warn({ err: error }, "leases on work could not be given back, and run out by themselves");
    });
  };
}
