import { HOUR_MS } from "@muster/protocol";
import type { Logger } from "pino";
import { LONGEST_QUEUED_MS } from "../../domain/delivery/delivery.js";
import type { Database } from "../../storage/postgres/database.js";
import { findTooOld } from "../../storage/postgres/delivery/old-messages.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import { giveUpPage } from "./give-up-page.js";
import type { Abandoned } from "./save-letters.js";

/** Whose queue it is. */
export interface OldMessagesPlace {
  organizationId: string;
  connectorId: string;
  lease: WorkLease;
}

/** What is being given up: messages that were queued before a time. */
interface Run {
  before: Date;
  why: Abandoned;
  messages: number;
}

/** How often it is looked for messages that waited for `LONGEST_QUEUED_MS`. */
const LOOK_EVERY_MS = HOUR_MS;

/** The reason of messages that became too old without a call. */
export const WAITED_TOO_LONG: Abandoned = {
  reason: "It waited in the queue for 14 days.",
  request: { url: "", notification_id: "", messages: 0, sent_at: "" },
  answer: null,
};

/**
 * Makes dead letters of the messages that waited too long in the queue of one connector: page after page, without a call
 * for each of them. A run that is interrupted goes on after the next look, or after the next failed call.
 */
export class OldMessages {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #place: OldMessagesPlace;
  #run: Run | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor({ database, logger }: { database: Database; logger: Logger }, place: OldMessagesPlace) {
    this.#database = database;
    this.#logger = logger;
    this.#place = place;
  }

  /** Gives up all messages that were queued before a time, in the next steps. */
  giveUp(before: Date, why: Abandoned): void {
    this.#run = { before, why, messages: this.#run?.messages ?? 0 };
  }

  /** Whether there are messages to give up. */
  async isDue(): Promise<boolean> {
    if (this.#run) return true;
    // `performance.now()` stands still while the machine is suspended, which only makes the next look later.
    if (performance.now() - this.#lookedAt < LOOK_EVERY_MS) return false;
    const { organizationId, connectorId } = this.#place;
    const before = await findTooOld(this.#database, organizationId, connectorId, LONGEST_QUEUED_MS);
    this.#lookedAt = performance.now();
    if (before) this.giveUp(before, WAITED_TOO_LONG);
    return before !== undefined;
  }

  /** Gives up the next page. No call to the connector may be open. Returns how long to wait before the next page. */
  async step(): Promise<number> {
    const run = this.#run;
    if (!run) return 0;
    const begunAt = performance.now();
    const { lease, ...queue } = this.#place;
    const { rows, messages } = await giveUpPage(this.#database, { ...queue, before: run.before }, lease, run.why);
    run.messages += messages;
    if (rows > 0) return Math.ceil(performance.now() - begunAt);
    this.#run = undefined;
    if (run.messages > 0) {
      const { connectorId } = this.#place;
      this.#logger.warn({ connectorId, messages: run.messages, reason: run.why.reason }, "messages given up");
    }
    return 0;
  }
}
