import { DAY_MS, type FlowControl, HOUR_MS } from "@muster/protocol";
import type { Circuit } from "@muster/protocol/api/deliveries";
import { nextCallAt } from "./flow-control.js";

/** How the delivery to one connector stands. */
export interface DeliveryState {
  /** The largest number of messages in a call, as the connector asked for. */
  size: number;
  /** How long a call waits for more messages while it is not full, as the connector asked for. */
  fillMs: number;
  /** No call is made before this time (unix milliseconds). */
  notBefore: number;
  /** When this pause was decided, by the same clock. */
  decidedAt: number;
  /** The message that the following four are about, unless it was never tried. It may have left the queue since. */
  firstId?: string;
  /** How many calls were made with the message that is first in the queue, whatever their results. */
  tries: number;
  /** How often the connector refused the messages that are first in its queue. */
  attempts: number;
  /** How often the connector asked to get the message again that is first in the queue, and when it first did. */
  deferrals: number;
  deferredAt: number;
  /** How many calls failed in a row, with these or other messages. */
  failures: number;
  /** Since when calls are made and none has delivered anything (unix milliseconds); undefined after a delivery. */
  stuckSince?: number | undefined;
  /** A lower limit than `size` while calls are refused: calls shrink until a message that causes it is alone. */
  limit: number | undefined;
  lastError: string | undefined;
  /** Set while the connector waits for other settings. */
  settingsPause?: SettingsPause | undefined;
}

/** Says that a pause ends early when the settings of the connector change. */
export interface SettingsPause {
  /** Stands for the settings with which the connector could not work. */
  digest: string;
  /**
   * No call is made before this time (unix milliseconds), also not after a change: a connector that changes its settings
   * itself at each call must not be called without a pause.
   */
  notBefore: number;
}

export const NEW_DELIVERY: DeliveryState = {
  size: 100,
  fillMs: 0,
  notBefore: 0,
  decidedAt: 0,
  tries: 0,
  attempts: 0,
  deferrals: 0,
  deferredAt: 0,
  failures: 0,
  limit: undefined,
  lastError: undefined,
};

/** What is counted about the message that is first in the queue, when another one has become the first. */
export const NEW_FIRST = { tries: 0, attempts: 0, deferrals: 0, deferredAt: 0 } as const;

/** The state for a call that begins with a message. What was counted for another message does not count for it. */
export function stateForFirst(state: DeliveryState, firstId: string): DeliveryState {
  const isOther = state.firstId !== undefined && state.firstId !== firstId;
  return { ...state, ...(isOther ? NEW_FIRST : {}), firstId };
}

/** The state that was stored for a connector; parts that were never stored are those of a new one. */
export function deliveryState(stored: Partial<DeliveryState> | undefined): DeliveryState {
  return { ...NEW_DELIVERY, ...stored };
}

/**
 * The state by a clock that may have been set back since the state was decided, as far as is known: by `setBackMs`, or to
 * before the decision. A pause does not get longer by that.
 */
export function withPauseFrom(state: DeliveryState, now: number, setBackMs: number): DeliveryState {
  const longest = state.notBefore - state.decidedAt;
  return { ...state, notBefore: Math.min(state.notBefore - setBackMs, now + longest) };
}

/** How a call ended. */
export type CallOutcome =
  | { kind: "delivered"; flow: FlowControl | undefined }
  /**
   * The connector asked to get the same messages again later. A reason is given if the answer also says that the
   * connector is unavailable, so the call counts as a failure.
   */
  | { kind: "deferred"; flow: FlowControl; reason?: string }
  /** The connector answered with an error: the messages may be the cause. */
  | { kind: "refused"; reason: string; flow: FlowControl | undefined }
  /** There was no answer, or the answer says that the connector is unavailable. The messages are not the cause. */
  | { kind: "unavailable"; reason: string; flow: FlowControl | undefined };

export interface DeliveryLimits {
  /** How often a message may be refused before it becomes a dead letter. */
  attempts: number;
  /** The age at which messages become dead letters while a connector is unavailable. */
  maxAgeMs: number;
  firstRetryMs: number;
}

export interface CallFacts {
  now: number;
  /** When the oldest message of the call was made. */
  since: number;
  messages: number;
  /** Between 0 and 1: makes pauses differ, so that many connectors are not called again at the same moment. */
  random: number;
}

/**
 * What happens to the messages of a call after it: they are removed from the queue (`done`), stay first in the queue
 * for the next call (`again`), or become dead letters (`dead`).
 */
export type QueueAction = "done" | "again" | "dead";

const LONGEST_RETRY_MS = 5 * 60_000;
/**
 * Messages that a connector defers are given up when it has done so this often and for this long. The limits of third
 * parties are counted by the day, so a connector that waits for one gets a day at least.
 */
const MOST_DEFERRALS = 100;
const DEFERRED_FOR_MS = DAY_MS;
/**
 * The age at which messages are given up that a connector defers every time, even if it does so rarely. A connector that
 * waits for its settings may ask for pauses of a day.
 */
const LONGEST_DEFERRAL_MS = 7 * DAY_MS;
/**
 * How long a message waits in a queue at most, whatever the reason: a disabled connector that holds its messages, or one
 * that takes fewer messages than there are. Older messages become dead letters.
 */
export const LONGEST_QUEUED_MS = 14 * DAY_MS;
/**
 * A connector that was not called for longer than this, because it or the server was switched off, has a new chance: the
 * time before does not count as time in which it took nothing.
 */
const LONGEST_GAP_MS = 6 * HOUR_MS;
/** The longest pause after messages were given up: the cause may have been these messages. */
const LONGEST_PAUSE_AFTER_DEAD_MS = 60_000;
/** After so many failures in a row the circuit is open: each call then holds one message, to test the connector. */
export const FAILURES_TO_OPEN = 5;
/** Calls get smaller by this factor while messages are refused, and larger by it afterwards. */
const SHRINK = 4;

export function circuitOf({ failures, notBefore }: DeliveryState, now: number): Circuit {
  if (failures < FAILURES_TO_OPEN) return "closed";
  return now < notBefore ? "open" : "half-open";
}

/** The largest number of messages in the next call. */
export function nextCallSize(state: DeliveryState): number {
  if (state.failures >= FAILURES_TO_OPEN) return 1;
  return Math.min(state.size, state.limit ?? state.size);
}

/** What the end of a call means for its messages and for the next call. */
export function afterCall(
  state: DeliveryState,
  outcome: CallOutcome,
  limits: DeliveryLimits,
  facts: CallFacts,
): { state: DeliveryState; action: QueueAction } {
  switch (outcome.kind) {
    case "delivered":
      return { action: "done", state: afterDelivery(state, outcome.flow, facts.now) };
    case "deferred":
      return afterDeferral(state, outcome, limits, facts);
    case "refused":
    case "unavailable":
      return afterFailure(state, outcome, limits, facts);
  }
}

function afterDelivery(state: DeliveryState, flow: FlowControl | undefined, now: number): DeliveryState {
  const grown = state.limit === undefined ? undefined : state.limit * SHRINK;
  return {
    ...NEW_FIRST,
    // A connector that asks for nothing gets the same as a new one.
    size: flow?.size ?? NEW_DELIVERY.size,
    fillMs: flow?.in_time ?? NEW_DELIVERY.fillMs,
    notBefore: nextCallAt(flow, now),
    decidedAt: now,
    failures: 0,
    limit: grown !== undefined && grown < (flow?.size ?? state.size) ? grown : undefined,
    lastError: undefined,
  };
}

function afterDeferral(
  state: DeliveryState,
  { flow, reason }: CallOutcome & { kind: "deferred" },
  limits: DeliveryLimits,
  { now, since, messages, random }: CallFacts,
): { state: DeliveryState; action: QueueAction } {
  const deferrals = state.deferrals + 1;
  const deferredAt = state.deferrals === 0 ? now : state.deferredAt;
  const isSpent = deferrals >= MOST_DEFERRALS && now - deferredAt >= DEFERRED_FOR_MS;
  const isDead = isSpent || now - since > LONGEST_DEFERRAL_MS;
  const failures = reason === undefined ? 0 : state.failures + 1;
  const isTold = flow.in !== undefined || flow.at !== undefined;
  const ours =
    reason === undefined && isTold ? limits.firstRetryMs / SHRINK : backoff(limits, failures || deferrals, random);
  const notBefore = Math.max(nextCallAt(flow, now), now + ours);
  return {
    action: isDead ? "dead" : "again",
    state: {
      ...state,
      ...asked(state, flow),
      ...(isDead ? NEW_FIRST : { tries: state.tries + 1, attempts: 0, deferrals, deferredAt }),
      notBefore: isDead ? Math.min(notBefore, now + LONGEST_PAUSE_AFTER_DEAD_MS) : notBefore,
      decidedAt: now,
      failures,
      stuckSince: stuckSince(state, now),
      // One message may be the cause. Halfway to the limit, calls begin to shrink so that the others go on.
      limit: deferrals * 2 > MOST_DEFERRALS ? Math.ceil(messages / SHRINK) : state.limit,
      lastError: reason ?? state.lastError,
    },
  };
}

function afterFailure(
  state: DeliveryState,
  { kind, reason, flow }: CallOutcome & { kind: "refused" | "unavailable" },
  limits: DeliveryLimits,
  { now, since, messages, random }: CallFacts,
): { state: DeliveryState; action: QueueAction } {
  const failures = state.failures + 1;
  const attempts = state.attempts + (kind === "refused" ? 1 : 0);
  const isSpent = kind === "refused" && messages === 1 && attempts >= limits.attempts;
  // A message that is refused is found by its attempts. It may be old because the connector was disabled.
  const isDead = isSpent || (kind === "unavailable" && now - since > limits.maxAgeMs);
  const notBefore = Math.max(nextCallAt(flow, now), now + backoff(limits, failures, random));
  return {
    action: isDead ? "dead" : "again",
    state: {
      ...state,
      ...asked(state, flow),
      ...(isDead ? NEW_FIRST : { tries: state.tries + 1, attempts }),
      notBefore: isDead ? Math.min(notBefore, now + LONGEST_PAUSE_AFTER_DEAD_MS) : notBefore,
      decidedAt: now,
      failures,
      stuckSince: stuckSince(state, now),
      // The first refusal may have had a passing cause. From the second on, calls shrink to find the message.
      limit: kind === "refused" && attempts > 1 ? Math.ceil(messages / SHRINK) : state.limit,
      lastError: reason,
    },
  };
}

/**
 * How many of the messages of a call are given up when the first of them is. The others are only if they are too old
 * themselves. `madeAt` says when each was made.
 */
export function countGivenUp(
  { kind }: CallOutcome,
  { maxAgeMs }: DeliveryLimits,
  madeAt: readonly number[],
  now: number,
): number {
  const longestMs = kind === "deferred" ? LONGEST_DEFERRAL_MS : maxAgeMs;
  const kept = madeAt.findIndex((at, index) => index > 0 && (kind === "refused" || now - at <= longestMs));
  return kept === -1 ? madeAt.length : kept;
}

/** Since when nothing was delivered, after a call at `now` that delivered nothing. */
export function stuckSince({ stuckSince: before, notBefore }: DeliveryState, now: number): number {
  return before !== undefined && now - notBefore <= LONGEST_GAP_MS ? before : now;
}

/**
 * The age from which on queued messages are given up without a call for each, because the connector has taken nothing
 * for as long. Undefined while it has not been away for so long: a connector that only restarts while it works through
 * an old queue keeps the queue.
 */
export function bulkAgeMs(
  { stuckSince: since }: DeliveryState,
  { kind }: CallOutcome,
  { maxAgeMs }: Pick<DeliveryLimits, "maxAgeMs">,
  now: number,
): number | undefined {
  if (kind === "delivered" || since === undefined) return undefined;
  const longestMs = kind === "deferred" ? LONGEST_DEFERRAL_MS : maxAgeMs;
  return now - since >= longestMs ? longestMs : undefined;
}

/** What the connector asked for, in this answer or in an earlier one. */
function asked(state: DeliveryState, flow: FlowControl | undefined): Pick<DeliveryState, "size" | "fillMs"> {
  return { size: flow?.size ?? state.size, fillMs: flow?.in_time ?? state.fillMs };
}

/** The pause after so many failures in a row. */
export function backoff(
  { firstRetryMs }: Pick<DeliveryLimits, "firstRetryMs">,
  failures: number,
  random: number,
): number {
  return Math.min(firstRetryMs * 2 ** (failures - 1), LONGEST_RETRY_MS) * (0.5 + random / 2);
}
