import { setImmediate as nextTurn } from "node:timers/promises";
import { MINUTE_MS } from "@muster/protocol";
import { loadSegmentLists } from "../../audience/segments/segment-lists.js";
import type { ListedConnector } from "../../connectors/connector-directory.js";
import {
  afterCall,
  bulkAgeMs,
  countGivenUp,
  type DeliveryLimits,
  type DeliveryState,
  deliveryState,
  NEW_FIRST,
  nextCallSize,
  stateForFirst,
  withPauseFrom,
} from "../../domain/delivery/delivery.js";
import { eraseFromMessage } from "../../domain/delivery/erase-from-message.js";
import { countResults, NO_RESULTS, reasonIn } from "../../domain/delivery/message-result.js";
import { withNewSettings, withSettingsPause } from "../../domain/delivery/settings-pause.js";
import { Loop } from "../../runtime/loops/loop.js";
import { readDeliveryState } from "../../storage/postgres/delivery/delivery-states.js";
import type { QueueProgress } from "../../storage/postgres/delivery/outbox.js";
import type { LagRecorder } from "../../storage/postgres/figures/lag-recorder.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import { AccountNewsLoop, type AccountNewsLoopOptions } from "./account-news-loop.js";
import { type CallOptions, type CallResult, prepareSmart } from "./call-connector.js";
import { CombiningQueue } from "./combining-queue.js";
import { ConnectorQueue, type QueueHead } from "./connector-queue.js";
import { type Barred, DeliveryRecords } from "./delivery-records.js";
import type { DeliveryTraces } from "./delivery-traces.js";
import { ListsToSend } from "./lists-to-send.js";
import type { MessageCache } from "./message-cache.js";
import { OldMessages } from "./old-messages.js";
import { PlainDelivery } from "./plain-delivery.js";
import { refusedMessages } from "./refused-messages.js";

export interface DeliveryLoopOptions extends Omit<CallOptions, "signal">, AccountNewsLoopOptions {
  cache: MessageCache;
  traces: DeliveryTraces;
  limits: DeliveryLimits;
  /** How long updates wait for later ones of the same subject, for connectors that want them combined; 0 for not at all. */
  combineUpdatesMs: number;
  lags: Pick<LagRecorder, "add">;
  onCall(report: CallResult, connectorId: string): void;
}

/** The result of a call. */
interface SettledCall {
  channel: string;
  report: CallResult;
  /** When each delivered message was created, in milliseconds. */
  delivered: readonly number[];
  /** How many messages were given up. */
  givenUp: number;
  reason: string;
}

/** How soon a process looks again whether its lease was renewed. */
const LOOK_AGAIN_MS = 500;
/** A prepared call that has waited longer than this is prepared again. */
const LONGEST_PREPARED_MS = 500;

/**
 * Delivers the queue of one connector: one call after the other, as large and as often as the connector asked for.
 * Prepares the next call while the result of the last one is being saved, and sends it after the save has succeeded. A
 * connector without flow control gets each message in a call of its own (`plain-delivery.ts`). Each connector has its own
 * loop, so a slow connector delays no other.
 */
export class DeliveryLoop {
  readonly #options: DeliveryLoopOptions;
  readonly organizationId: string;
  readonly #connectorId: string;
  readonly #lease: WorkLease;
  readonly #records: DeliveryRecords;
  readonly #plain: PlainDelivery;
  readonly #accountNews: AccountNewsLoop;
  readonly #ordinary: ConnectorQueue;
  readonly #combining: CombiningQueue;
  /** The way in which the queue is read: with the updates of one subject combined, or as it is. */
  #queue: ConnectorQueue | CombiningQueue;
  readonly #oldMessages: OldMessages;
  readonly #listsToSend = new ListsToSend();
  readonly #loop: Loop;
  #state: DeliveryState | undefined;
  /** The save of the last call's result. Until it ends, the queue may still contain rows of delivered messages. */
  #saving: Promise<void> = Promise.resolve();
  /** Writes the traces and metrics of the last call after its result is saved. */
  #noting: Promise<void> = Promise.resolve();
  /** When the last step began. A step that begins earlier shows that the clock was set back. */
  #steppedAt = 0;

  constructor(options: DeliveryLoopOptions, organizationId: string, connectorId: string, lease: WorkLease) {
    this.#options = options;
    this.organizationId = organizationId;
    this.#connectorId = connectorId;
    this.#lease = lease;
    const { database, cache, combineUpdatesMs: holdMs } = options;
    this.#ordinary = new ConnectorQueue(database, cache, organizationId, connectorId);
    this.#combining = new CombiningQueue({ database, cache, organizationId, connectorId, holdMs });
    this.#queue = this.#ordinary;
    this.#records = new DeliveryRecords(options, organizationId, connectorId, lease);
    const oldMessages = new OldMessages(options, { organizationId, connectorId, lease });
    this.#oldMessages = oldMessages;
    const wake = () => this.#loop.wake();
    this.#plain = new PlainDelivery(options, {
      organizationId,
      connectorId,
      records: this.#records,
      oldMessages,
      wake,
    });
    const onQueued = () => this.#loop.wake();
    this.#accountNews = new AccountNewsLoop(options, { organizationId, connectorId, lease, onQueued });
    this.#loop = new Loop({
      step: (signal) => this.#step(signal),
      onError: (error) => {
        this.#logFailure(error);
        // The save may still be running when something else has failed.
        this.#saving = this.#saving.catch(() => undefined);
        this.#state = undefined;
        this.#queue.forget();
        this.#plain.distrust();
      },
    });
  }

  /** Whether another process has taken over. */
  get isLost(): boolean {
    return this.#lease.isLost();
  }

  start(): void {
    this.#loop.start();
    this.#accountNews.start();
  }

  wake(): void {
    this.#loop.wake();
    this.#accountNews.wake();
  }

  /** Waits for the open calls and stores their results. Starts no new call. */
  async finish(): Promise<void> {
    await Promise.all([this.#loop.finish(), this.#accountNews.stop()]);
    await this.#stopped();
  }

  /** Aborts the open calls. Their messages are sent again after the next start. */
  async stop(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.#accountNews.stop()]);
    await this.#stopped();
  }

  async #stopped(): Promise<void> {
    await this.#plain.stop();
    await this.#saving.catch((error: unknown) => this.#logFailure(error));
    await this.#noting;
  }

  /** Makes one call. Returns how long to wait before the next one, or undefined when the queue is empty. */
  async #step(signal: AbortSignal): Promise<number | undefined> {
    const { database, directory } = this.#options;
    const listed = directory.find(this.#connectorId);
    if (this.#lease.isValid() && (await this.#oldMessages.isDue())) return this.#giveUpOld();
    if (!listed?.connector.enabled || !listed.isOrganizationEnabled || listed.connector.sourceUrl === null) {
      await this.#saving;
      // The queue of a disabled connector may be emptied.
      this.#queue.forget();
      await this.#plain.leave();
      return undefined;
    }
    // The process was paused or cannot reach the database, so another process may have the lease and make the calls.
    if (!this.#lease.isValid()) return LOOK_AGAIN_MS;
    if (!listed.isSmart) {
      await this.#saving;
      this.#queue.forget();
      this.#state = undefined;
      return this.#plain.step(listed, signal);
    }
    // Plain calls may still be open from before the connector got the tag for flow control.
    if (!(await this.#plain.leave())) return undefined;
    if (!this.#state) {
      await this.#saving;
      this.#state = deliveryState(await readDeliveryState(database, this.organizationId, this.#connectorId));
    }
    const now = Date.now();
    this.#state = withPauseFrom(this.#state, now, Math.max(0, this.#steppedAt - now));
    this.#steppedAt = now;
    const state = withNewSettings(this.#state, listed.connector);
    if (state.notBefore > now) return state.notBefore - now;

    const size = nextCallSize(state);
    this.#chooseQueue(listed);
    if (!this.#queue.has(size)) await this.#saving;
    const head = await this.#queue.head(size);
    if (!head) return undefined;
    if (head.waitMs > 0) return head.waitMs;
    const since = head.madeAt[0]!.getTime();
    const fullBy = since + state.fillMs;
    // The time of a message comes from the clock of the database. If the clocks differ much, it says nothing about the wait.
    const isSameClock = since < now + MINUTE_MS;
    if (!head.isComplete && fullBy > now && isSameClock) return fullBy - now;

    // Looked up again: the connector may serve other purposes by now.
    const { purposes } = (directory.find(this.#connectorId) ?? listed).connector;
    const [barred, lists] = await Promise.all([
      this.#records.barredIn(head.messages, purposes),
      loadSegmentLists(database, this.organizationId),
    ]);
    const sendable = withoutBarred(head, barred);
    if (sendable.messages.length === 0) {
      await this.#saving;
      await this.#skip(state, head, barred);
      return 0;
    }

    // Looks the connector up again, because a notice about changed settings must be sent with the new settings. The
    // directory had read them before the notice was queued.
    const recipient = directory.find(this.#connectorId) ?? listed;
    const before = stateForFirst(state, head.firstId);
    const sent = this.#listsToSend.choose(lists, sendable, recipient.connector, performance.now());
    const sentLists = { all: lists, sent };
    const call = await prepareSmart({ ...this.#options, signal }, recipient, sendable, sentLists, before.tries);
    const preparedAt = performance.now();
    await this.#saving;
    // Since the call was prepared, one of its users may have been erased, or the connector disabled.
    if (performance.now() - preparedAt > LONGEST_PREPARED_MS) return 0;
    if (!this.#lease.isValid()) return LOOK_AGAIN_MS;
    const calling = call();
    // If this read fails, the error is thrown when the batches are needed.
    this.#queue.readAhead(sendable.messages.length, size).catch(() => undefined);
    const report = await calling;
    await this.#noting;
    this.#settle(before, sendable, report, recipient);
    return 0;
  }

  #chooseQueue({ combinesUpdates }: ListedConnector): void {
    const chosen = combinesUpdates && this.#options.combineUpdatesMs > 0 ? this.#combining : this.#ordinary;
    if (chosen !== this.#queue) this.#queue.forget();
    this.#queue = chosen;
  }

  /** Gives up a page of messages that are too old, when no call is open. */
  async #giveUpOld(): Promise<number | undefined> {
    await this.#saving;
    // The end of a call makes the loop take the next step.
    if (!(await this.#plain.leave())) return undefined;
    this.#queue.forget();
    return this.#oldMessages.step();
  }

  /** Moves on by the first messages, which may not be sent. */
  async #skip(state: DeliveryState, head: QueueHead, barred: Barred): Promise<void> {
    const next = head.messages.findIndex((message) => !barred.has(message));
    const skipped = next === -1 ? head.messages : head.messages.slice(0, next);
    const withheld = this.#records.withheldIn(skipped, head.channel, barred);
    const kept = skipped.map((message, index) => (barred.missing(message).length > 0 ? this.#queue.partsOf(index) : 0));
    this.#state = { ...state, ...NEW_FIRST };
    await this.#records.save({
      ...this.#queue.advance(skipped.length),
      state: this.#state,
      sentMessages: 0,
      failedCalls: 0,
      deadMessages: 0,
      withheld: kept.reduce((sum, parts) => sum + parts, 0),
    });
    await this.#records.noteWithheld(withheld);
  }

  /** Starts to save which messages were delivered and when the next call may be made. Traces and metrics follow. */
  #settle(before: DeliveryState, head: QueueHead, report: CallResult, { connector }: ListedConnector): void {
    const { limits } = this.#options;
    const { messages, outcome, request, answer } = report;
    const madeAt = head.madeAt.slice(0, messages.length).map((at) => at.getTime());
    const facts = {
      now: Date.now(),
      since: madeAt[0]!,
      messages: messages.length,
      random: Math.random(),
    };
    const { state: decided, action } = afterCall(before, outcome, limits, facts);
    const own = afterCall(before, { ...outcome, flow: { type: "retry" } }, limits, facts).state;
    const { url, channel } = head;
    const refused = refusedMessages(report, { url, channel }, before.tries + 1);
    const [firstRefused] = refused;
    const paused = withSettingsPause(decided, own, outcome, connector);
    const state = firstRefused ? { ...paused, lastError: firstRefused.call.reason } : paused;
    const dead = action === "dead" ? messages.slice(0, countGivenUp(outcome, limits, madeAt, facts.now)) : [];
    const done = action === "done" ? messages.length : 0;
    const queued = this.#queue.queued(messages.length);
    const queuedGone = this.#queue.queued(done + dead.length);
    const took = done > 0 ? countResults(report.results, (index) => this.#queue.partsOf(index)) : NO_RESULTS;
    const progress: QueueProgress = {
      ...this.#queue.advance(done + dead.length),
      state,
      sentMessages: took.delivered,
      failedCalls: reasonIn(outcome) === undefined ? 0 : 1,
      deadMessages: dead.length + refused.length,
      made: {
        calls: 1,
        messages: queued,
        retried: queued - queuedGone + took.retried,
        refused: refused.length,
        skipped: took.skipped,
        unreported: took.unreported,
        lagMs: done > 0 ? facts.now - facts.since : 0,
      },
    };
    const reason = reasonIn(outcome) ?? "It asked every time to get the message later.";
    const call = { request, answer, reason };
    const givenUp = dead.map((message) => ({ url, channel, message, attempts: before.tries + 1, call }));
    const ageMs = bulkAgeMs(state, outcome, limits, facts.now);
    if (ageMs !== undefined) this.#oldMessages.giveUp(new Date(facts.now - ageMs), { request, answer, reason });
    this.#state = state;
    this.#saving = this.#records.save(progress, [...givenUp, ...refused], [report]);
    this.#noting = this.#note({
      channel,
      report,
      delivered: madeAt.slice(0, done),
      givenUp: dead.length + refused.length,
      // What a service says about a message may have values of its user, which no log may hold.
      reason: refused.length > 0 ? "The service refused them." : reason,
    });
  }

  /** Writes the traces and metrics of a call after its result is saved. The next step throws an error of the save. */
  async #note({ channel, report, delivered, givenUp, reason }: SettledCall): Promise<void> {
    const { logger, lags } = this.#options;
    const connectorId = this.#connectorId;
    const isSaved = await this.#saving.then(
      () => true,
      () => false,
    );
    if (!isSaved) return;
    // Lets the next call go out first if it waits for this save.
    await nextTurn();
    for (const at of delivered) lags.add(this.organizationId, "delivery", at);
    if (givenUp > 0) logger.warn({ connectorId, messages: givenUp, reason }, "messages given up");
    await this.#records.trace(channel, report).catch((error: unknown) => this.#logFailure(error));
  }

  #logFailure(error: unknown): void {
    this.#options.logger.error({ err: error, connectorId: this.#connectorId }, "delivery failed");
  }
}

/** The first messages, up to the next one that may not be sent. None when the first message may not. */
function withoutBarred(head: QueueHead, barred: Barred): QueueHead {
  const first = head.messages.findIndex((message) => barred.has(message));
  const messages = first === -1 ? head.messages : head.messages.slice(0, first);
  return { ...head, messages: messages.map((message) => eraseFromMessage(message, barred.erased)) };
}
