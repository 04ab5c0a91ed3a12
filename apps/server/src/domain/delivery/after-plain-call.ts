import {
  backoff,
  type CallOutcome,
  type DeliveryLimits,
  type DeliveryState,
  FAILURES_TO_OPEN,
  stuckSince,
} from "./delivery.js";
import { nextCallAt } from "./flow-control.js";

/** What is known about the attempts at a message that has not been delivered yet. */
export interface MessageTries {
  /** How many calls were made. */
  tries: number;
  /** How many of them count towards the limit. */
  attempts: number;
  /** The next call is not made before this time (unix milliseconds). */
  notBefore: number;
}

export interface PlainCallFacts {
  now: number;
  /** When the call began. */
  startedAt: number;
  /** When the message was made. */
  since: number;
  /** The connector has answered another call since this one began. */
  isThere: boolean;
  /** The connector has answered this call, if only with a status that says that it cannot take messages now. */
  hasAnswer: boolean;
  random: number;
}

/** A message that was not delivered is tried again later by itself, or it is given up. */
export type PlainAction = { kind: "done" } | { kind: "again" | "dead"; tries: MessageTries };

/** What the end of a call means for its one message. */
export function afterPlainCall(
  before: MessageTries | undefined,
  outcome: CallOutcome,
  limits: DeliveryLimits,
  { now, since, isThere, hasAnswer, random }: PlainCallFacts,
): PlainAction {
  if (outcome.kind === "delivered") return { kind: "done" };
  const tries = (before?.tries ?? 0) + 1;
  // The message is not the cause while the connector is unavailable, or answers that it is overloaded, which it may do for
  // some calls only. The message is then kept until it is too old.
  const counts = outcome.kind === "refused" || (isThere && !hasAnswer);
  const attempts = (before?.attempts ?? 0) + (counts ? 1 : 0);
  const isTooOld = outcome.kind !== "refused" && now - since > limits.maxAgeMs;
  const isDead = (counts && attempts >= limits.attempts) || isTooOld;
  const notBefore = Math.max(nextCallAt(outcome.flow, now), now + backoff(limits, tries, random));
  return { kind: isDead ? "dead" : "again", tries: { tries, attempts, notBefore } };
}

/** Whether a connector seems to be unavailable. Then one call at a time probes whether it is back. */
export function isAway({ failures }: DeliveryState): boolean {
  return failures >= FAILURES_TO_OPEN;
}

/** The state of the delivery after an answer, whatever it says about its message. */
export function afterAnswer(state: DeliveryState, lastError: string | undefined): DeliveryState {
  return { ...state, failures: 0, notBefore: 0, decidedAt: 0, stuckSince: undefined, lastError };
}

/**
 * The state after a call without an answer while no other call was answered either. `unreached` is the number of different
 * objects of such calls since the last answer: a single message that crashes a connector must not stop the other
 * messages.
 */
export function afterSilence(
  state: DeliveryState,
  outcome: CallOutcome & { kind: "unavailable" },
  unreached: number,
  limits: DeliveryLimits,
  { now, startedAt, random }: PlainCallFacts,
): DeliveryState {
  const lastError = outcome.reason;
  if (!isAway(state)) {
    if (unreached < FAILURES_TO_OPEN) return { ...state, failures: unreached, lastError };
    const notBefore = now + backoff(limits, 1, random);
    return { ...state, failures: FAILURES_TO_OPEN, notBefore, decidedAt: now, stuckSince: now, lastError };
  }
  // Calls that began before the connector was known to be unavailable give no new information.
  if (startedAt <= state.decidedAt) return { ...state, lastError };
  const failures = state.failures + 1;
  const ours = now + backoff(limits, failures - FAILURES_TO_OPEN + 1, random);
  const notBefore = Math.max(nextCallAt(outcome.flow, now), ours);
  return { ...state, failures, notBefore, decidedAt: now, stuckSince: stuckSince(state, now), lastError };
}
