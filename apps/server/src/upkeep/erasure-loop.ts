import { MINUTE_MS } from "@muster/protocol";
import { Loop } from "../runtime/loops/loop.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import { type CleanErasedOptions, cleanErased } from "./clean-erased.js";
import { type CleanLeftoversOptions, cleanLeftovers } from "./clean-leftovers.js";
import { isDoneHere } from "./is-done-here.js";

const WORK = "cleaning after erasures";
const LOOK_EVERY_MS = 5_000;
// Traces and logs of connectors are in memory for a second before they are written.
const SETTLE_MS = 5_000;
const PACE_MS = 10 * MINUTE_MS;

export type ErasureLoopOptions = CleanErasedOptions & CleanLeftoversOptions & { leases: WorkLeases };

/** Takes erased subjects out of logs, queues and files, soon after they were erased. */
export function startErasureLoop({ leases, ...options }: ErasureLoopOptions): Loop {
  const timing = { settleMs: SETTLE_MS, paceMs: PACE_MS };
  const loop = new Loop({
    async step(signal) {
      if (!(await isDoneHere(leases, WORK))) return LOOK_EVERY_MS;
      try {
        await cleanErased({ timing, ...options }, signal);
      } finally {
        await cleanLeftovers(options, signal);
      }
      return LOOK_EVERY_MS;
    },
    onError: (error) => options.logger.error({ err: error }, "the clean-up after an erasure failed"),
    lastRetryMs: MINUTE_MS,
  });
  loop.start();
  return loop;
}
