import type { FlowControl } from "@muster/protocol";
import { nextCallAt } from "./flow-control.js";

/** How the delivery to one connector stands. */
export interface DeliveryState {
  /** Most messages in a call, as the connector asked for. */
  size: number;
  /** How long a call waits to be full, as the connector asked for. */
  fillMs: number;
  /** No call before this time (unix milliseconds). */
  notBefore: number;
  /** Failed attempts at the messages that are next. */
  attempts: number;
  /** Calls that failed in a row, whatever they held. */
  failures: number;
  /** While something fails, calls get smaller, so that what is to blame ends up alone. */
  limit: number | undefined;
  lastError: string | undefined;
}

export const NEW_DELIVERY: DeliveryState = {
  size: 100,
  fillMs: 0,
  notBefore: 0,
  attempts: 0,
  failures: 0,
  limit: undefined,
  lastError: undefined,
};

/** How a call ended. */
export type CallOutcome =
  | { kind: "delivered"; flow: FlowControl | undefined }
  /** Understood, but to be sent again later: the connector's own wish. */
  | { kind: "deferred"; flow: FlowControl }
  /** Answered with an error: the same messages may be the reason. */
  | { kind: "refused"; reason: string; flow: FlowControl | undefined }
  /** Not answered, or told that nobody is there to answer: the messages are not to blame. */
  | { kind: "unavailable"; reason: string; flow: FlowControl | undefined };

export interface DeliveryLimits {
  /** Attempts at messages that are refused before they are given up. */
  attempts: number;
  /** How old messages get that a connector is not there for, or always wants later. */
  maxAgeMs: number;
  firstRetryMs: number;
}

export interface CallFacts {
  now: number;
  /** When the oldest message of the call was made. */
  since: number;
  messages: number;
  /** Between 0 and 1: spreads retries of many connectors. */
  random: number;
}

export type Fate = "done" | "again" | "dead";

const LONGEST_RETRY_MS = 5 * 60_000;
/** Failures in a row that open the circuit: from then on single messages probe whether the connector is back. */
const FAILURES_TO_OPEN = 5;
const SHRINK = 4;

export type Circuit = "closed" | "open" | "half-open";

export function circuitOf({ failures, notBefore }: DeliveryState, now: number): Circuit {
  if (failures < FAILURES_TO_OPEN) return "closed";
  return now < notBefore ? "open" : "half-open";
}

/** Most messages in the next call: a probe is one. */
export function nextCallSize(state: DeliveryState): number {
  if (state.failures >= FAILURES_TO_OPEN) return 1;
  return Math.min(state.size, state.limit ?? state.size);
}

/** What a call's end means for its messages and for the next call. */
export function afterCall(
  state: DeliveryState,
  outcome: CallOutcome,
  limits: DeliveryLimits,
  facts: CallFacts,
): { state: DeliveryState; fate: Fate } {
  const { flow } = outcome;
  const { now } = facts;
  const asked = { size: flow?.size ?? state.size, fillMs: flow?.in_time ?? state.fillMs };
  if (outcome.kind === "delivered") {
    const grown = state.limit === undefined ? undefined : state.limit * SHRINK;
    return {
      fate: "done",
      state: {
        // Without a wish the connector gets what a new one gets.
        size: flow?.size ?? NEW_DELIVERY.size,
        fillMs: flow?.in_time ?? NEW_DELIVERY.fillMs,
        notBefore: nextCallAt(flow, now),
        attempts: 0,
        failures: 0,
        limit: grown !== undefined && grown < asked.size ? grown : undefined,
        lastError: undefined,
      },
    };
  }
  const tooOld = now - facts.since > limits.maxAgeMs;
  if (outcome.kind === "deferred") {
    const fate = tooOld ? "dead" : "again";
    const wait = Math.max(nextCallAt(flow, now), now + limits.firstRetryMs / SHRINK);
    return { fate, state: { ...state, ...asked, notBefore: wait, attempts: 0, failures: 0 } };
  }
  const failures = state.failures + 1;
  const attempts = state.attempts + (outcome.kind === "refused" ? 1 : 0);
  const isSpent = outcome.kind === "refused" && facts.messages === 1 && attempts >= limits.attempts;
  const backoff = Math.min(limits.firstRetryMs * 2 ** (failures - 1), LONGEST_RETRY_MS);
  const dead = isSpent || tooOld;
  return {
    fate: dead ? "dead" : "again",
    state: {
      ...asked,
      notBefore: Math.max(nextCallAt(flow, now), now + backoff * (0.5 + facts.random / 2)),
      attempts: dead ? 0 : attempts,
      failures,
      // The first failure may be a passing one; after that, whatever is refused is looked for.
      limit: outcome.kind === "refused" && attempts > 1 ? Math.ceil(facts.messages / SHRINK) : state.limit,
      lastError: outcome.reason,
    },
  };
}
