import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  afterCall,
  type CallFacts,
  type CallOutcome,
  circuitOf,
  type DeliveryState,
  NEW_DELIVERY,
  nextCallSize,
  withPauseFrom,
} from "./delivery.js";

const LIMITS = { attempts: 4, maxAgeMs: 60_000, firstRetryMs: 100 };
const FACTS: CallFacts = { now: 10_000, since: 9_000, messages: 8, random: 1 };
const REFUSED: CallOutcome = { kind: "refused", reason: "no", flow: undefined };
const UNAVAILABLE: CallOutcome = { kind: "unavailable", reason: "gone", flow: undefined };
const DELIVERED: CallOutcome = { kind: "delivered", flow: { type: "next", size: 50, in: 20, in_time: 300 } };

const after = (state: DeliveryState, outcome: CallOutcome, facts: Partial<CallFacts> = {}) =>
  afterCall(state, outcome, LIMITS, { ...FACTS, ...facts });

/** The state after the same outcome several times. */
function times(count: number, outcome: CallOutcome, facts: Partial<CallFacts> = {}): DeliveryState {
  let state = NEW_DELIVERY;
  for (let call = 0; call < count; call++) state = after(state, outcome, facts).state;
  return state;
}

test("delivered messages are done, and the next call follows the flow control of the answer", () => {
  expect(after(NEW_DELIVERY, DELIVERED)).toEqual({
    action: "done",
    state: { ...NEW_DELIVERY, size: 50, fillMs: 300, notBefore: 10_020, decidedAt: FACTS.now },
  });
});

test("a connector that no longer asks for a size gets a hundred messages in a call", () => {
  const withSize = after(NEW_DELIVERY, DELIVERED).state;
  expect(nextCallSize(after(withSize, { kind: "delivered", flow: undefined }).state)).toBe(100);
});

test("pauses double with every failure up to five minutes, and have a random part", () => {
  const pauses = [1, 2, 3, 4].map((count) => times(count, UNAVAILABLE).notBefore - FACTS.now);
  expect(pauses).toEqual([100, 200, 400, 800]);
  expect(times(30, UNAVAILABLE).notBefore - FACTS.now).toBe(300_000);
  expect(times(1, UNAVAILABLE, { random: 0 }).notBefore - FACTS.now).toBe(50);
});

test("a longer pause that the connector asks for replaces ours", () => {
  const asked: CallOutcome = { ...UNAVAILABLE, flow: { type: "retry", in: 7_000 } };
  expect(after(NEW_DELIVERY, asked).state.notBefore).toBe(17_000);
});

describe("the circuit", () => {
  test("it opens after five failures in a row, and the next call holds one message", () => {
    expect(circuitOf(times(4, UNAVAILABLE), FACTS.now)).toBe("closed");
    const open = times(5, UNAVAILABLE);
    expect(circuitOf(open, FACTS.now)).toBe("open");
    expect(circuitOf(open, open.notBefore)).toBe("half-open");
    expect(nextCallSize(open)).toBe(1);
  });

  test("it closes with the first call that succeeds", () => {
    const { state } = after(times(9, UNAVAILABLE), { kind: "delivered", flow: undefined });
    expect(circuitOf(state, FACTS.now)).toBe("closed");
    expect(nextCallSize(state)).toBe(100);
  });
});

describe("messages that are refused", () => {
  test("they are sent in smaller and smaller calls, and in larger ones after one was accepted", () => {
    let { state } = after(NEW_DELIVERY, REFUSED, { messages: 100 });
    expect(nextCallSize(state)).toBe(100);
    state = after(state, REFUSED, { messages: 100 }).state;
    expect(nextCallSize(state)).toBe(25);
    state = after(state, REFUSED, { messages: 25 }).state;
    expect(nextCallSize(state)).toBe(7);
    state = after(state, { kind: "delivered", flow: undefined }, { messages: 7 }).state;
    expect(nextCallSize(state)).toBe(28);
  });

  test("they are given up one at a time, after the last allowed attempt", () => {
    const state = times(3, REFUSED, { messages: 8 });
    expect(after(state, REFUSED, { messages: 2 }).action).toBe("again");
    const { action, state: next } = after(state, REFUSED, { messages: 1 });
    expect(action).toBe("dead");
    expect(next.attempts).toBe(0);
  });
});

test("messages to a connector that is not there are kept until they are too old", () => {
  const state = times(50, UNAVAILABLE, { messages: 1 });
  expect(after(state, UNAVAILABLE, { messages: 1 }).action).toBe("again");
  expect(after(state, UNAVAILABLE, { messages: 1, since: FACTS.now - 60_001 }).action).toBe("dead");
});

test("a connector can ask to get messages later, and that is not a failure", () => {
  const later: CallOutcome = { kind: "deferred", flow: { type: "retry", in: 5_000, size: 3 } };
  const { state, action } = after(NEW_DELIVERY, later);
  expect(action).toBe("again");
  expect(state).toMatchObject({ notBefore: 15_000, size: 3, failures: 0, attempts: 0 });
  expect(after(NEW_DELIVERY, later, { since: FACTS.now - 60_001 }).action).toBe("dead");
});

test("a connector that always asks for the messages again at once is called with pauses", () => {
  const { state } = after(NEW_DELIVERY, { kind: "deferred", flow: { type: "retry", in: 0 } });
  expect(state.notBefore).toBeGreaterThan(FACTS.now);
});

test("after any outcomes, the next call has a size and a time", () => {
  const flow = fc.option(
    fc.record({ type: fc.constant("next" as const), size: fc.integer({ min: 1, max: 10_000 }), in: fc.nat(10_000) }),
    { nil: undefined },
  );
  const outcome = fc.oneof(
    fc.record({ kind: fc.constant("delivered" as const), flow }),
    fc.record({ kind: fc.constant("refused" as const), reason: fc.constant("no"), flow }),
    fc.record({ kind: fc.constant("unavailable" as const), reason: fc.constant("gone"), flow }),
  );
  fc.assert(
    fc.property(fc.array(outcome, { maxLength: 60 }), (outcomes) => {
      let state = NEW_DELIVERY;
      for (const each of outcomes) state = after(state, each, { messages: nextCallSize(state) }).state;
      expect(nextCallSize(state)).toBeGreaterThanOrEqual(1);
      expect(state.notBefore).toBeLessThanOrEqual(FACTS.now + 300_000);
    }),
  );
});

test("a pause does not get longer when the clock is set back, in this process or before it started", () => {
  const paused = { ...NEW_DELIVERY, notBefore: 10_500, decidedAt: 10_000 };
  expect(withPauseFrom(paused, 10_100, 0).notBefore).toBe(10_500);
  expect(withPauseFrom(paused, 4_100, 6_000).notBefore).toBe(4_500);
  expect(withPauseFrom(paused, 4_000, 0).notBefore).toBe(4_500);
  expect(withPauseFrom(paused, 20_000, 0).notBefore).toBe(10_500);
});
