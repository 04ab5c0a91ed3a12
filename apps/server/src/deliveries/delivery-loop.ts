import { MINUTE_MS } from "@muster/protocol";
import type { Logger } from "pino";
import { loadSegmentLists } from "../audience/segment-record.js";
import type { ConnectorDirectory, ListedConnector } from "../connectors/connector-directory.js";
import {
  afterCall,
  type DeliveryLimits,
  type DeliveryState,
  deliveryState,
  nextCallSize,
  withPauseFrom,
} from "../domain/delivery/delivery.js";
import { eraseFromMessage, isErased, subjectsOfMessage } from "../domain/delivery/erase-from-message.js";
import { objectIdOf, type StoredMessage } from "../domain/delivery/message.js";
import { withNewSettings, withSettingsPause } from "../domain/delivery/settings-pause.js";
import { Loop } from "../runtime/loop.js";
import { findErased } from "../storage/postgres/changes/erasures.js";
import type { Database, Queryable } from "../storage/postgres/database.js";
import { saveDeadLetters } from "../storage/postgres/delivery/dead-letters.js";
import { readDeliveryState } from "../storage/postgres/delivery/delivery-states.js";
import { type QueueProgress, saveProgress } from "../storage/postgres/delivery/outbox.js";
import type { WorkClaim } from "../storage/postgres/work-locks.js";
import { type CallOptions, type CallResult, callPlain, callSmart } from "./call-connector.js";
import { ConnectorQueue, type QueueHead } from "./connector-queue.js";
import type { DeliveryTraces } from "./delivery-traces.js";
import type { MessageCache } from "./message-cache.js";

export interface DeliveryLoopOptions extends Omit<CallOptions, "signal"> {
  database: Database;
  directory: ConnectorDirectory;
  cache: MessageCache;
  traces: DeliveryTraces;
  limits: DeliveryLimits;
  logger: Logger;
  onCall(report: CallResult, connectorId: string): void;
}

/** How many single notifications are sent to a connector at the same time. */
const PLAIN_AT_ONCE = 20;

/**
 * Delivers the queue of one connector: one call after the other, as large and as often as the connector asked for.
 * Each connector has its own loop, so a slow one delays no other.
 */
export class DeliveryLoop {
  readonly #options: DeliveryLoopOptions;
  readonly organizationId: string;
  readonly #connectorId: string;
  readonly #claim: WorkClaim;
  readonly #queue: ConnectorQueue;
  readonly #loop: Loop;
  #state: DeliveryState | undefined;
  /** When the last step began. A step that begins earlier shows that the clock was set back. */
  #steppedAt = 0;

  constructor(options: DeliveryLoopOptions, organizationId: string, connectorId: string, claim: WorkClaim) {
    this.#options = options;
    this.#claim = claim;
    this.organizationId = organizationId;
    this.#connectorId = connectorId;
    this.#queue = new ConnectorQueue(options.database, options.cache, organizationId, connectorId);
    this.#loop = new Loop({
      step: (signal) => this.#step(signal),
      onError: (error) => {
        options.logger.error({ err: error, connectorId }, "delivery failed");
        this.#queue.forget();
      },
    });
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Gives up the calls under way: their messages are sent again after the next start. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Makes one call. Returns how long to wait before the next one, or undefined when the queue is empty. */
  async #step(signal: AbortSignal): Promise<number | undefined> {
    const { database, directory } = this.#options;
    const listed = directory.find(this.#connectorId);
    if (!listed?.connector.enabled || listed.connector.sourceUrl === null) {
      // Its queue may be emptied while it is disabled.
      this.#queue.forget();
      return undefined;
    }
    this.#state ??= deliveryState(await readDeliveryState(database, this.organizationId, this.#connectorId));
    const now = Date.now();
    this.#state = withPauseFrom(this.#state, now, Math.max(0, this.#steppedAt - now));
    this.#steppedAt = now;
    const state = withNewSettings(this.#state, listed.connector);
    if (state.notBefore > now) return state.notBefore - now;

    const size = listed.isSmart ? nextCallSize(state) : Math.min(nextCallSize(state), PLAIN_AT_ONCE);
    const head = await this.#queue.head(size);
    if (!head) return undefined;
    const fullBy = head.since.getTime() + state.fillMs;
    // The time of a message is by the clock of the database. If the clocks differ much, it does not tell how long to wait.
    const isSameClock = head.since.getTime() < now + MINUTE_MS;
    if (!head.isComplete && fullBy > now && isSameClock) return fullBy - now;

    const sendable = await this.#withoutErased(head);
    if (sendable.messages.length === 0) {
      await this.#skip(state, head);
      return 0;
    }

    // The connector is looked up again: a notice about changed settings must go out with these settings, and it was
    // queued after the directory had read them.
    const recipient = directory.find(this.#connectorId) ?? listed;
    const reports = await this.#call(recipient, sendable, signal);
    await this.#settle(state, sendable, reports, recipient);
    return 0;
  }

  /**
   * The first messages without those about erased subjects: up to the next of these, or none when the first message is
   * one of them.
   */
  async #withoutErased(head: QueueHead): Promise<QueueHead> {
    const erased = await this.#erasedIn(this.#options.database, head.messages);
    const first = head.messages.findIndex((message) => isErased(message, erased));
    const messages = first === -1 ? head.messages : head.messages.slice(0, first);
    return { ...head, messages: messages.map((message) => eraseFromMessage(message, erased)) };
  }

  #erasedIn(database: Queryable, messages: readonly StoredMessage[]): Promise<Set<string>> {
    return findErased(database, this.organizationId, messages.flatMap(subjectsOfMessage));
  }

  /** Moves on by the first message, which is about an erased subject. */
  async #skip(state: DeliveryState, head: QueueHead): Promise<void> {
    const erased = await this.#erasedIn(this.#options.database, head.messages);
    const next = head.messages.findIndex((message) => !isErased(message, erased));
    const count = next === -1 ? head.messages.length : next;
    await this.#save({
      ...this.#queue.advance(count),
      state,
      sentMessages: 0,
      failedCalls: 0,
      deadMessages: 0,
    });
  }

  async #call(listed: ListedConnector, head: QueueHead, signal: AbortSignal): Promise<CallResult[]> {
    const options = { ...this.#options, signal };
    const lists = await loadSegmentLists(this.#options.database, this.organizationId);
    return listed.isSmart ? [await callSmart(options, listed, head, lists)] : callPlain(options, listed, head, lists);
  }

  /** Stores which messages were delivered and when the next call may be made. Then writes traces and metrics. */
  async #settle(
    before: DeliveryState,
    head: QueueHead,
    reports: CallResult[],
    { connector }: ListedConnector,
  ): Promise<void> {
    const failed = reports.findIndex(({ outcome }) => outcome.kind !== "delivered");
    const delivered = failed === -1 ? reports : reports.slice(0, failed);
    const deliveredCount = delivered.reduce((sum, { messages }) => sum + messages.length, 0);
    const decisive = reports[failed] ?? reports.at(-1)!;
    const { outcome } = decisive;
    const facts = {
      now: Date.now(),
      since: head.since.getTime(),
      messages: decisive.messages.length,
      random: Math.random(),
    };
    const { state: decided, action } = afterCall(before, outcome, this.#options.limits, facts);
    const own = afterCall(before, { ...outcome, flow: { type: "retry" } }, this.#options.limits, facts).state;
    const state = withSettingsPause(decided, own, outcome, connector);
    const dead = action === "dead" ? decisive.messages : [];
    const progress: QueueProgress = {
      ...this.#queue.advance(deliveredCount + dead.length),
      state,
      sentMessages: deliveredCount,
      failedCalls: outcome.kind === "refused" || outcome.kind === "unavailable" ? 1 : 0,
      deadMessages: dead.length,
    };
    await this.#store(head, decisive, dead, before, progress);
    this.#state = state;
    for (const report of reports) this.#trace(head, report);
  }

  async #store(
    head: QueueHead,
    { request, answer, outcome }: CallResult,
    dead: CallResult["messages"],
    { attempts }: DeliveryState,
    progress: QueueProgress,
  ): Promise<void> {
    const { database, logger } = this.#options;
    if (dead.length === 0) {
      await this.#save(progress);
      return;
    }
    const reason = "reason" in outcome ? outcome.reason : "It asked every time to get the message later.";
    await database.transaction(async (tx) => {
      await this.#claim.confirm(tx);
      const failedCall = { request, answer, reason, attempts: attempts + 1 };
      // Some may have been erased while the call was under way.
      const erased = await this.#erasedIn(tx, dead);
      const letters = dead
        .filter((message) => !isErased(message, erased))
        .map((message) => ({ objectId: objectIdOf(message), message: eraseFromMessage(message, erased) }));
      await saveDeadLetters(tx, this.organizationId, this.#connectorId, head, letters, failedCall);
      await saveProgress(tx, this.organizationId, this.#connectorId, progress);
    });
    logger.warn({ connectorId: this.#connectorId, messages: dead.length, reason }, "messages given up");
  }

  /** Saves only while no other process has taken over the queue: it may be further by then. */
  async #save(progress: QueueProgress): Promise<void> {
    await this.#options.database.transaction(async (tx) => {
      await this.#claim.confirm(tx);
      await saveProgress(tx, this.organizationId, this.#connectorId, progress);
    });
  }

  #trace({ channel }: QueueHead, report: CallResult): void {
    const { traces, onCall } = this.#options;
    onCall(report, this.#connectorId);
    const { outcome, request, answer, sentAt, durationMs } = report;
    traces.add(
      this.organizationId,
      report.messages.map((message) => ({
        objectId: objectIdOf(message),
        connectorId: this.#connectorId,
        channel,
        sentAt,
        durationMs: Math.round(durationMs),
        result: outcome.kind,
        status: answer?.status ?? 0,
        notificationId: request.notification_id,
        messageId: message.message_id,
        reason: "reason" in outcome ? outcome.reason : "",
      })),
    );
  }
}
