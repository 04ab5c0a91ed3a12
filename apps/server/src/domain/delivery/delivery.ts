import type { FlowControl } from "@muster/protocol";
import { nextCallAt } from "./flow-control.js";

/** How the delivery to one connector stands. */
export interface DeliveryState {
  /** The largest number of messages in a call, as the connector asked for. */
  size: number;
  /** How long a call waits for more messages while it is not full, as the connector asked for. */
  fillMs: number;
  /** No call is made before this time (unix milliseconds). */
  notBefore: number;
  /** When that was decided, by the same clock. */
  decidedAt: number;
  /** How often the connector refused the messages that are first in its queue. */
  attempts: number;
  /** How many calls failed in a row, with these or other messages. */
  failures: number;
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
  attempts: 0,
  failures: 0,
  limit: undefined,
  lastError: undefined,
};

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
  /** The connector asked to get the same messages again later. */
  | { kind: "deferred"; flow: FlowControl }
  /** The connector answered with an error: the messages may be the cause. */
  | { kind: "refused"; reason: string; flow: FlowControl | undefined }
  /** There was no answer, or one that says the connector is not there now: the messages are not the cause. */
  | { kind: "unavailable"; reason: string; flow: FlowControl | undefined };

export interface DeliveryLimits {
  /** How often a message may be refused before it is given up. */
  attempts: number;
  /** The age at which messages are given up while a connector is not there, or defers them every time. */
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
/** After so many failures in a row the circuit is open: each call then holds one message, to test the connector. */
const FAILURES_TO_OPEN = 5;
/** Calls get smaller by this factor while messages are refused, and larger by it afterwards. */
const SHRINK = 4;

export type Circuit = "closed" | "open" | "half-open";

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
  const { flow } = outcome;
  const { now } = facts;
  const asked = { size: flow?.size ?? state.size, fillMs: flow?.in_time ?? state.fillMs };
  if (outcome.kind === "delivered") {
    const grown = state.limit === undefined ? undefined : state.limit * SHRINK;
    return {
      action: "done",
      state: {
        // A connector that asks for nothing gets the same as a new one.
        size: flow?.size ?? NEW_DELIVERY.size,
        fillMs: flow?.in_time ?? NEW_DELIVERY.fillMs,
        notBefore: nextCallAt(flow, now),
        decidedAt: now,
        attempts: 0,
        failures: 0,
        limit: grown !== undefined && grown < asked.size ? grown : undefined,
        lastError: undefined,
      },
    };
  }
  const tooOld = now - facts.since > limits.maxAgeMs;
  if (outcome.kind === "deferred") {
    const action = tooOld ? "dead" : "again";
    const wait = Math.max(nextCallAt(flow, now), now + limits.firstRetryMs / SHRINK);
    return { action, state: { ...state, ...asked, notBefore: wait, decidedAt: now, attempts: 0, failures: 0 } };
  }
  const failures = state.failures + 1;
  const attempts = state.attempts + (outcome.kind === "refused" ? 1 : 0);
  const isSpent = outcome.kind === "refused" && facts.messages === 1 && attempts >= limits.attempts;
  const backoff = Math.min(limits.firstRetryMs * 2 ** (failures - 1), LONGEST_RETRY_MS);
  const dead = isSpent || tooOld;
  return {
    action: dead ? "dead" : "again",
    state: {
      ...asked,
      notBefore: Math.max(nextCallAt(flow, now), now + backoff * (0.5 + facts.random / 2)),
      decidedAt: now,
      attempts: dead ? 0 : attempts,
      failures,
      // The first refusal may have had a passing cause. From the second on, calls shrink to find the message.
      limit: outcome.kind === "refused" && attempts > 1 ? Math.ceil(facts.messages / SHRINK) : state.limit,
      lastError: outcome.reason,
    },
  };
}
