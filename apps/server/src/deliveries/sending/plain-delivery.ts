import { setMaxListeners } from "node:events";
import type { Logger } from "pino";
import { loadSegmentLists } from "../../audience/segments/segment-lists.js";
import type { ConnectorDirectory, ListedConnector } from "../../connectors/connector-directory.js";
import {
  afterAnswer,
  afterPlainCall,
  afterSilence,
  isAway,
  type PlainAction,
} from "../../domain/delivery/after-plain-call.js";
import {
  bulkAgeMs,
  type DeliveryLimits,
  type DeliveryState,
  deliveryState,
  withPauseFrom,
} from "../../domain/delivery/delivery.js";
import { eraseFromMessage } from "../../domain/delivery/erase-from-message.js";
import { countResults, NO_RESULTS, reasonIn } from "../../domain/delivery/message-result.js";
import type { Database } from "../../storage/postgres/database.js";
import { readDeliveryState } from "../../storage/postgres/delivery/delivery-states.js";
import type { LagRecorder } from "../../storage/postgres/figures/lag-recorder.js";
import { type CallOptions, type CallResult, callPlain } from "./call-connector.js";
import type { DeliveryRecords } from "./delivery-records.js";
import type { MessageCache } from "./message-cache.js";
import type { OldMessages } from "./old-messages.js";
import { PlainQueue, type Settled, type SingleMessage } from "./plain-queue.js";
import { refusedMessages } from "./refused-messages.js";
import type { AbandonedMessage } from "./save-letters.js";

export interface PlainDeliveryOptions extends Omit<CallOptions, "signal"> {
  database: Database;
  directory: ConnectorDirectory;
  cache: MessageCache;
  limits: DeliveryLimits;
  lags: Pick<LagRecorder, "add">;
  logger: Logger;
}

/** Whose queue it is. `wake` makes the loop take the next step. */
export interface PlainDeliveryPlace {
  organizationId: string;
  connectorId: string;
  records: DeliveryRecords;
  oldMessages: Pick<OldMessages, "giveUp">;
  wake(): void;
}

/**
 * How many calls to a connector are open at the same time. The library for connectors handles a hundred single messages
 * together, or as many as come within half a second: with fewer calls it would always wait.
 */
const CALLS_AT_ONCE = 100;
/** The pause after an error of the server itself, such as an unavailable database. */
const PAUSE_AFTER_ERROR_MS = 1_000;

/** A call that has ended. It has no report when it could not be made. */
interface EndedCall {
  message: SingleMessage;
  report: CallResult | undefined;
  isThere: boolean;
}

/** What is stored together with the results of messages. */
interface SettledCounts {
  state: DeliveryState;
  failedCalls?: number;
  givenUp?: AbandonedMessage[];
  /** The calls that have ended. */
  reports?: CallResult[];
  /** The longest time that a delivered message had waited. */
  lagMs?: number;
  withheld?: number;
}

/**
 * Delivers the queue of a connector without flow control: each message in a call of its own, many calls at the same time.
 * A message that fails is tried again by itself and delays only later messages about the same object.
 *
 * A call counts as open until its result is stored. So after a crash, no more messages are sent twice than calls can be
 * open, and none of them after a later message about the same object.
 */
export class PlainDelivery {
  readonly #options: PlainDeliveryOptions;
  readonly #place: PlainDeliveryPlace;
  readonly #queue: PlainQueue;
  readonly #calls = new Map<SingleMessage, Promise<void>>();
  #ended: EndedCall[] = [];
  #state: DeliveryState | undefined;
  #isStale = false;
  /** How many calls were answered, and the objects of the calls without an answer since the last answered call. */
  #answers = 0;
  readonly #unreached = new Set<string>();
  /** When the last step began. A step that begins earlier shows that the clock was set back. */
  #steppedAt = 0;

  constructor(options: PlainDeliveryOptions, place: PlainDeliveryPlace) {
    this.#options = options;
    this.#place = place;
    this.#queue = new PlainQueue(options.database, options.cache, place.organizationId, place.connectorId);
  }

  /** Stores the results of ended calls and starts new calls. Returns how long to wait; undefined: until a call ends or a message comes. */
  async step(listed: ListedConnector, signal: AbortSignal): Promise<number | undefined> {
    // The loop and each call add a listener to the signal, and Node warns from the eleventh listener on.
    setMaxListeners(CALLS_AT_ONCE + 1, signal);
    await this.#store();
    if (this.#isStale && !(await this.leave())) return undefined;
    const state = await this.#followClock(Date.now());
    const now = this.#steppedAt;
    if (isAway(state) && state.notBefore > now) return state.notBefore - now;
    const free = (isAway(state) ? 1 : CALLS_AT_ONCE) - this.#open;
    // The end of a call makes the loop take the next step.
    if (free <= 0) return undefined;
    const taken = await this.#queue.take(free, now);
    const skipped = await this.#send(taken, listed, signal);
    if (skipped > 0) return 0;
    const nextAt = this.#queue.nextAt();
    return nextAt === undefined ? undefined : Math.max(1, nextAt - now);
  }

  /**
   * Stores the results of ended calls and starts none. True when no call is open and nothing is in memory: other code may
   * then change or deliver the queue. Until then, the end of a call makes the loop take the next step.
   */
  async leave(): Promise<boolean> {
    await this.#store();
    this.#isStale = this.#open > 0;
    if (this.#isStale) return false;
    this.#queue.forget();
    this.#state = undefined;
    return true;
  }

  /** Reads the queue again after all open calls have ended and before the next call, because other code may have changed it. */
  distrust(): void {
    this.#isStale = true;
  }

  /** Waits for the aborted calls, and stores the results of calls that had ended before. */
  async stop(): Promise<void> {
    await Promise.all(this.#calls.values());
    await this.#store().catch((error: unknown) => {
      // These messages are sent again after the next start.
      this.#options.logger.warn({ err: error, connectorId: this.#place.connectorId }, "delivered messages not stored");
    });
  }

  get #open(): number {
    return this.#calls.size + this.#ended.length;
  }

  async #followClock(now: number): Promise<DeliveryState> {
    const { organizationId, connectorId } = this.#place;
    const stored =
      this.#state ?? deliveryState(await readDeliveryState(this.#options.database, organizationId, connectorId));
    const setBackMs = Math.max(0, this.#steppedAt - now);
    if (setBackMs > 0) this.#queue.shift(setBackMs);
    this.#steppedAt = now;
    this.#state = withPauseFrom(stored, now, setBackMs);
    return this.#state;
  }

  /** Starts the calls of messages that were taken. Returns how many are not sent, because their subject was erased or withheld. */
  async #send(taken: readonly SingleMessage[], listed: ListedConnector, signal: AbortSignal): Promise<number> {
    if (taken.length === 0) return 0;
    const { database, directory } = this.#options;
    const { organizationId, connectorId, records } = this.#place;
    try {
      const contents = await Promise.all(taken.map((message) => this.#queue.contentOf(message)));
      // Looked up again: a notice about changed settings must go out with these settings.
      const present = directory.find(connectorId) ?? listed;
      const barred = await records.barredIn(contents, present.connector.purposes);
      const lists = await loadSegmentLists(database, organizationId);
      const skipped = taken.filter((_, index) => barred.has(contents[index]!)).map((message) => ({ message }));
      const withheld = taken.flatMap(({ row }, index) => records.withheldIn([contents[index]!], row.channel, barred));
      if (skipped.length > 0) await this.#save(skipped, { state: this.#state!, withheld: withheld.length });
      await records.noteWithheld(withheld);
      for (const [index, message] of taken.entries()) {
        const content = contents[index]!;
        if (barred.has(content)) continue;
        const { row } = message;
        const call = callPlain(
          { ...this.#options, signal },
          present,
          row,
          eraseFromMessage(content, barred.erased),
          lists,
        );
        this.#follow(message, call);
      }
      return skipped.length;
    } catch (error) {
      for (const message of taken) {
        if (!this.#calls.has(message)) this.#queue.giveBack(message, Date.now() + PAUSE_AFTER_ERROR_MS);
      }
      throw error;
    }
  }

  #follow(message: SingleMessage, call: Promise<CallResult>): void {
    const answersBefore = this.#answers;
    const end = (report: CallResult | undefined) => {
      const isThere = this.#answers > answersBefore;
      if (report && report.outcome.kind !== "unavailable") this.#answers += 1;
      this.#calls.delete(message);
      this.#ended.push({ message, report, isThere });
      this.#place.wake();
    };
    this.#calls.set(
      message,
      call.then(end, (error: unknown) => {
        // Calls that the stop has aborted are not failures.
        if (!isAbort(error))
          this.#options.logger.error({ err: error, connectorId: this.#place.connectorId }, "call failed");
        end(undefined);
      }),
    );
  }

  /** Stores the results of the calls that have ended, all in one transaction. */
  async #store(): Promise<void> {
    const ended = this.#ended.slice();
    if (ended.length === 0) return;
    let state = await this.#followClock(Date.now());
    const settled: Settled[] = [];
    const dead: AbandonedMessage[] = [];
    const sentSince: number[] = [];
    let lagMs = 0;
    for (const each of ended) {
      const { message, report } = each;
      if (!report) continue;
      const facts = {
        now: Date.now(),
        startedAt: report.sentAt.getTime(),
        since: message.row.createdAt.getTime(),
        isThere: each.isThere,
        hasAnswer: report.answer !== null,
        random: Math.random(),
      };
      const before = message.row.tries[message.place];
      const action: PlainAction = afterPlainCall(before, report.outcome, this.#options.limits, facts);
      if (action.kind === "done") {
        sentSince.push(facts.since);
        dead.push(...refusedMessages(report, message.row, (before?.tries ?? 0) + 1));
        lagMs = Math.max(lagMs, facts.now - facts.since);
      }
      if (action.kind === "dead") dead.push(givenUp(message, report, action.tries.tries));
      settled.push({ message, ...(action.kind === "again" ? { again: action.tries } : {}) });
      state = this.#stateAfter(state, each, report, facts);
    }
    this.#giveUpOld(state, ended);
    const reports = ended.flatMap(({ message, report }) => (report ? [{ channel: message.row.channel, report }] : []));
    await this.#save(settled, {
      state,
      failedCalls: reports.length - sentSince.length,
      givenUp: dead,
      reports: reports.map(({ report }) => report),
      lagMs,
    });
    for (const at of sentSince) this.#options.lags.add(this.#place.organizationId, "delivery", at);
    this.#state = state;
    this.#ended = this.#ended.slice(ended.length);
    for (const { message, report } of ended) {
      if (!report) this.#queue.giveBack(message, Date.now() + PAUSE_AFTER_ERROR_MS);
    }
    for (const { channel, report } of reports) await this.#place.records.trace(channel, report);
    const { connectorId } = this.#place;
    if (dead.length > 0) {
      const failed = reports.find(({ report }) => report.outcome.kind !== "delivered");
      // What a service says about a message may have values of its user, which no log may hold.
      const reason = failed ? reasonIn(failed.report.outcome) : "The service refused them.";
      this.#options.logger.warn({ connectorId, messages: dead.length, reason }, "messages given up");
    }
  }

  /** Has the messages of a connector that was away for too long given up, once no call is open. */
  #giveUpOld(state: DeliveryState, ended: readonly EndedCall[]): void {
    const report = ended.findLast((each) => each.report?.outcome.kind === "unavailable")?.report;
    const now = this.#steppedAt;
    if (!report) return;
    const ageMs = bulkAgeMs(state, report.outcome, this.#options.limits, now);
    if (ageMs === undefined) return;
    const { request, answer, outcome } = report;
    this.#place.oldMessages.giveUp(new Date(now - ageMs), { request, answer, reason: reasonIn(outcome) ?? "" });
  }

  #stateAfter(
    state: DeliveryState,
    { message, isThere }: EndedCall,
    { outcome, results }: CallResult,
    facts: Parameters<typeof afterSilence>[4],
  ): DeliveryState {
    if (outcome.kind !== "unavailable") {
      this.#unreached.clear();
      const [result] = results;
      return afterAnswer(state, result?.kind === "refused" ? result.reason : reasonIn(outcome));
    }
    if (isThere) return state;
    this.#unreached.add(message.objectId);
    return afterSilence(state, outcome, this.#unreached.size, this.#options.limits, facts);
  }

  async #save(settled: readonly Settled[], counts: SettledCounts): Promise<void> {
    const { state, failedCalls = 0, givenUp: letters = [], reports = [], lagMs = 0, withheld = 0 } = counts;
    const taken = reports.filter(({ outcome }) => outcome.kind === "delivered").flatMap(({ results }) => results);
    const took = taken.length > 0 ? countResults(taken, () => 1) : NO_RESULTS;
    const { refused, skipped, unreported } = took;
    const retried = settled.filter(({ again }) => again !== undefined).length + took.retried;
    const made = { calls: reports.length, messages: reports.length, retried, refused, skipped, unreported, lagMs };
    const sentMessages = took.delivered;
    const progress = { ...this.#queue.progressOf(settled), state, sentMessages, failedCalls, made, withheld };
    await this.#place.records.save({ ...progress, deadMessages: letters.length }, letters, reports);
    this.#queue.settle(settled);
  }
}

function givenUp(
  { row }: SingleMessage,
  { messages, request, answer, outcome }: CallResult,
  attempts: number,
): AbandonedMessage {
  const call = { request, answer, reason: reasonIn(outcome) ?? "" };
  return { url: row.url, channel: row.channel, message: messages[0]!, attempts, call };
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.message === "The request was aborted.");
}
