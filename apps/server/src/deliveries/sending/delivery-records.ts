import { readAgreements } from "../../audience/subjects/agreements.js";
import { causeOf } from "../../domain/delivery/cause-of.js";
import { isErased, subjectsOfMessage } from "../../domain/delivery/erase-from-message.js";
import { objectIdOf, type StoredMessage } from "../../domain/delivery/message.js";
import type { MessageResult } from "../../domain/delivery/message-result.js";
import { missingConsents, type Withheld, withheldReason } from "../../domain/purposes/withheld.js";
import { findErased } from "../../storage/postgres/changes/erasures.js";
import type { Database } from "../../storage/postgres/database.js";
import { countCause, type FailureCause, OTHER_CAUSES } from "../../storage/postgres/delivery/delivery-causes.js";
import { type QueueProgress, saveProgress } from "../../storage/postgres/delivery/outbox.js";
import { noteWithheld } from "../../storage/postgres/delivery/withheld.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import type { CallResult } from "./call-connector.js";
import type { DeliveryTraces } from "./delivery-traces.js";
import { type AbandonedMessage, saveLetters } from "./save-letters.js";

export interface DeliveryRecordsOptions {
  database: Database;
  traces: DeliveryTraces;
  onCall(report: CallResult, connectorId: string): void;
}

/** Which messages may not be sent. */
export interface Barred {
  erased: ReadonlySet<string>;
  /** The purposes that the user of a message has not agreed to. */
  missing(message: StoredMessage): string[];
  has(message: StoredMessage): boolean;
}

/** Stores the results of the messages to one connector. */
export class DeliveryRecords {
  readonly #options: DeliveryRecordsOptions;
  readonly #organizationId: string;
  readonly #connectorId: string;
  readonly #lease: WorkLease;

  constructor(options: DeliveryRecordsOptions, organizationId: string, connectorId: string, lease: WorkLease) {
    this.#options = options;
    this.#organizationId = organizationId;
    this.#connectorId = connectorId;
    this.#lease = lease;
  }

  /** Saves only while this process holds the lease. A process that has taken over the queue may be ahead of it. */
  async save(
    progress: QueueProgress,
    givenUp: readonly AbandonedMessage[] = [],
    reports: readonly CallResult[] = [],
  ): Promise<void> {
    await this.#options.database.transaction(async (tx) => {
      if (givenUp.length > 0) {
        await this.#lease.confirm(tx);
        // Letters first, as a retry does: two transactions that lock the counts in different orders could deadlock.
        const place = { organizationId: this.#organizationId, connectorId: this.#connectorId };
        await saveLetters(tx, place, givenUp);
        await saveProgress(tx, this.#organizationId, this.#connectorId, progress);
      } else {
        // Statements that are called together are sent in one round trip, and run in this order.
        const confirmed = this.#lease.confirm(tx);
        await Promise.all([confirmed, saveProgress(tx, this.#organizationId, this.#connectorId, progress)]);
      }
      for (const cause of causesOf(reports)) await countCause(tx, this.#organizationId, this.#connectorId, cause);
    });
  }

  /** Which of the messages may not be sent now: their subject was erased, or has not agreed to the connector's purposes. */
  async barredIn(messages: readonly StoredMessage[], purposes: readonly string[]): Promise<Barred> {
    const { database } = this.#options;
    const users = messages.flatMap((message) => (message.kind === "user" ? [message.entity.id] : []));
    const [erased, agreements] = await Promise.all([
      findErased(database, this.#organizationId, messages.flatMap(subjectsOfMessage)),
      readAgreements(database, this.#organizationId, users, purposes),
    ]);
    const missing = (message: StoredMessage) =>
      isErased(message, erased) ? [] : missingConsents(message, purposes, agreements);
    return { erased, missing, has: (message) => isErased(message, erased) || missing(message).length > 0 };
  }

  /** Those of the messages that were withheld. */
  withheldIn(messages: readonly StoredMessage[], channel: string, { missing }: Barred): Withheld[] {
    return messages.flatMap((message) => {
      const purposes = missing(message);
      if (purposes.length === 0) return [];
      const about = { userId: objectIdOf(message), messageId: message.message_id };
      return [{ connectorId: this.#connectorId, channel, ...about, reason: withheldReason(purposes) }];
    });
  }

  noteWithheld(withheld: readonly Withheld[]): Promise<void> {
    return noteWithheld(this.#options.database, this.#organizationId, withheld);
  }

  /** Writes the traces and metrics of a call. */
  async trace(channel: string, report: CallResult): Promise<void> {
    const { traces, onCall } = this.#options;
    onCall(report, this.#connectorId);
    await traces.note(this.#organizationId, this.#connectorId, channel, report);
  }
}

/** Why messages of these calls were not delivered, each cause once. */
function causesOf(reports: readonly CallResult[]): FailureCause[] {
  const causes = new Map<string, FailureCause>();
  for (const { results } of reports) {
    for (const { cause, status, messages } of causesOfCall(results)) {
      const { calls = 0, messages: before = 0 } = causes.get(cause) ?? {};
      causes.set(cause, { cause, status, calls: calls + 1, messages: before + messages });
    }
  }
  return [...causes.values()];
}

function causesOfCall(results: readonly MessageResult[]): Omit<FailureCause, "calls">[] {
  // All messages of a call that failed as a whole share one result.
  const counts = new Map<MessageResult, number>();
  for (const result of results) counts.set(result, (counts.get(result) ?? 0) + 1);
  const causes = new Map<string, Omit<FailureCause, "calls">>();
  for (const [result, messages] of counts) {
    if (!FAILED.has(result.kind) || result.reason === "") continue;
    const found = causeOf(result);
    const cause = causes.has(found) || causes.size < MOST_CAUSES_OF_CALL ? found : OTHER_CAUSES;
    const before = causes.get(cause)?.messages ?? 0;
    causes.set(cause, { cause, status: result.answer?.status ?? 0, messages: before + messages });
  }
  return [...causes.values()];
}

const FAILED: ReadonlySet<string> = new Set(["refused", "unavailable", "deferred"]);
/** Each cause is one statement in the transaction that saves a call. */
const MOST_CAUSES_OF_CALL = 20;
