import { DAY_MS } from "@muster/protocol";
import type { Logger } from "pino";
import { workOf } from "../deliveries/sending/delivery-loops.js";
import { giveUpPage } from "../deliveries/sending/give-up-page.js";
import { WAITED_TOO_LONG } from "../deliveries/sending/old-messages.js";
import { LONGEST_QUEUED_MS } from "../domain/delivery/delivery.js";
import type { Database } from "../storage/postgres/database.js";
import { listOldQueues } from "../storage/postgres/delivery/old-messages.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";

export interface AbandonedQueuesOptions {
  database: Database;
  leases: WorkLeases;
  logger: Logger;
}

/** A day later than a process gives them up that delivers the queue. */
const ABANDONED_MS = LONGEST_QUEUED_MS + DAY_MS;
const PAGES_PER_STEP = 5;

/**
 * Makes dead letters of messages that waited too long in queues that no process delivers: calls may be paused since a
 * restore, or no process has the role for them. Returns whether there may be more.
 */
export async function giveUpAbandoned({ database, leases, logger }: AbandonedQueuesOptions): Promise<boolean> {
  let hasMore = false;
  for (const queue of await listOldQueues(database, ABANDONED_MS)) {
    const { organizationId, connectorId } = queue;
    const work = workOf(connectorId);
    // A loop of this process has the queue, and gives the messages up itself.
    if (leases.heldOf(work).includes(organizationId)) continue;
    const lease = await leases.take(work, organizationId);
    if (!lease) continue;
    let given = 0;
    try {
      for (let page = 0; page < PAGES_PER_STEP; page++) {
        const { rows, messages } = await giveUpPage(database, queue, lease, WAITED_TOO_LONG);
        if (rows === 0) break;
        given += messages;
        hasMore ||= page === PAGES_PER_STEP - 1;
      }
    } finally {
      await leases.release(work, organizationId);
    }
    logger.warn({ connectorId, messages: given, reason: WAITED_TOO_LONG.reason }, "messages given up");
  }
  return hasMore;
}
