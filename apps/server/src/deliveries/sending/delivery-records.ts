import { causeOf } from "../../domain/delivery/cause-of.js";
import type { FailedCall } from "../../domain/delivery/dead-letter.js";
import { subjectsOfMessage } from "../../domain/delivery/erase-from-message.js";
import { objectIdOf, type StoredMessage } from "../../domain/delivery/message.js";
import { findErased } from "../../storage/postgres/changes/erasures.js";
import type { Database, Transaction } from "../../storage/postgres/database.js";
import { countCause, type FailureCause } from "../../storage/postgres/delivery/delivery-causes.js";
import { type QueueProgress, saveProgress } from "../../storage/postgres/delivery/outbox.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import type { CallResult } from "./call-connector.js";
import type { DeliveryTraces } from "./delivery-traces.js";
import { saveLetters } from "./save-letters.js";

export interface DeliveryRecordsOptions {
  database: Database;
  traces: DeliveryTraces;
  onCall(report: CallResult, connectorId: string): void;
}

/** Messages that become dead letters after a call. */
export interface GivenUp {
  url: string;
  channel: string;
  messages: readonly StoredMessage[];
  failedCall: FailedCall;
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
    givenUp: readonly GivenUp[] = [],
    reports: readonly CallResult[] = [],
  ): Promise<void> {
    await this.#options.database.transaction(async (tx) => {
      if (givenUp.length > 0) {
        await this.#lease.confirm(tx);
        // Letters first, as a retry does: two transactions that lock the counts in different orders could deadlock.
        for (const one of givenUp) await this.#saveLetters(tx, one);
        await saveProgress(tx, this.#organizationId, this.#connectorId, progress);
      } else {
        // Statements that are called together are sent in one round trip, and run in this order.
        const confirmed = this.#lease.confirm(tx);
        await Promise.all([confirmed, saveProgress(tx, this.#organizationId, this.#connectorId, progress)]);
      }
      for (const cause of causesOf(reports)) await countCause(tx, this.#organizationId, this.#connectorId, cause);
    });
  }

  async #saveLetters(
    tx: Transaction,
    { url, channel, messages, failedCall: { attempts, ...call } }: GivenUp,
  ): Promise<void> {
    const place = { organizationId: this.#organizationId, connectorId: this.#connectorId };
    const abandoned = messages.map((message) => ({ url, channel, attempts, message }));
    await saveLetters(tx, place, abandoned, call);
  }

  /** The subjects of messages that were erased. */
  erasedIn(messages: readonly StoredMessage[]): Promise<Set<string>> {
    return findErased(this.#options.database, this.#organizationId, messages.flatMap(subjectsOfMessage));
  }

  /** Writes the traces and metrics of a call. */
  async trace(channel: string, report: CallResult): Promise<void> {
    const { traces, onCall } = this.#options;
    onCall(report, this.#connectorId);
    const { outcome, request, answer, sentAt, durationMs } = report;
    traces.add(
      report.messages.map((message) => ({
        organizationId: this.#organizationId,
        objectId: objectIdOf(message),
        connectorId: this.#connectorId,
        channel,
        sentAt,
        durationMs: Math.round(durationMs),
        result: outcome.kind,
        status: answer?.status ?? 0,
        notificationId: request.notification_id,
        messageId: message.message_id,
        reason: reasonIn(outcome) ?? "",
      })),
    );
    await traces.keep(this.#organizationId, this.#connectorId, report);
  }
}

/** The causes of the calls that failed, each once. */
function causesOf(reports: readonly CallResult[]): FailureCause[] {
  const causes = new Map<string, FailureCause>();
  for (const { outcome, answer, messages } of reports) {
    const reason = reasonIn(outcome);
    if (reason === undefined) continue;
    const cause = causeOf({ reason, answer });
    const { calls = 0, messages: before = 0 } = causes.get(cause) ?? {};
    const counts = { calls: calls + 1, messages: before + messages.length };
    causes.set(cause, { cause, status: answer?.status ?? 0, ...counts });
  }
  return [...causes.values()];
}

/** Why a call did not deliver its messages, if its answer says so. */
export function reasonIn(outcome: CallResult["outcome"]): string | undefined {
  return outcome.kind === "delivered" ? undefined : outcome.reason;
}
