import { DAY_MS } from "@muster/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  afterCall,
  bulkAgeMs,
  type CallFacts,
  type CallOutcome,
  circuitOf,
  countGivenUp,
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

describe("the age of messages", () => {
  const old = { since: FACTS.now - 60_001 };

  test("does not matter to a connector that refuses them: one message is found that is to blame", () => {
    expect(after(NEW_DELIVERY, REFUSED, { ...old, messages: 100 }).action).toBe("again");
  });

  test("gives up only those of a call that are too old themselves", () => {
    const madeAt = [70_000, 60_001, 59_999, 0].map((age) => FACTS.now - age);
    expect(countGivenUp(UNAVAILABLE, LIMITS, madeAt, FACTS.now)).toBe(2);
    const deferred: CallOutcome = { kind: "deferred", flow: { type: "retry" } };
    const days = [7.1, 6.9, 0].map((age) => FACTS.now - age * DAY_MS);
    expect(countGivenUp(deferred, LIMITS, days, FACTS.now)).toBe(1);
    expect(countGivenUp(REFUSED, LIMITS, [FACTS.now], FACTS.now)).toBe(1);
  });
});

describe("a connector that takes nothing", () => {
  /** The state after calls that end in the same way, each so many milliseconds after the other. */
  function every(ms: number, count: number, outcome: CallOutcome): DeliveryState {
    let state = NEW_DELIVERY;
    for (let call = 0; call < count; call++) state = after(state, outcome, { now: FACTS.now + call * ms }).state;
    return state;
  }
  const agedBy = (state: DeliveryState, outcome: CallOutcome, ms: number) =>
    bulkAgeMs(state, outcome, LIMITS, FACTS.now + ms);

  test.each([UNAVAILABLE, REFUSED])(
    "its old messages are given up together once it was away as long ($kind)",
    (outcome) => {
      const state = every(1_000, 60, outcome);
      expect(agedBy(state, outcome, 59_999)).toBeUndefined();
      expect(agedBy(state, outcome, 60_000)).toBe(60_000);
    },
  );

  test("a connector that defers its messages has a week", () => {
    const deferred: CallOutcome = { kind: "deferred", flow: { type: "retry", in: DAY_MS } };
    const state = every(DAY_MS, 8, deferred);
    expect(agedBy(state, deferred, 7 * DAY_MS - 1)).toBeUndefined();
    expect(agedBy(state, deferred, 7 * DAY_MS)).toBe(7 * DAY_MS);
  });

  test("a delivery, or a time without calls, begins the time anew", () => {
    const away = every(1_000, 60, UNAVAILABLE);
    const back = after(away, DELIVERED, { now: FACTS.now + 60_000 }).state;
    expect(agedBy(back, UNAVAILABLE, 60_000)).toBeUndefined();
    const later = after(away, UNAVAILABLE, { now: FACTS.now + DAY_MS }).state;
    expect(agedBy(later, UNAVAILABLE, DAY_MS + 59_999)).toBeUndefined();
  });
});

test("the pause after messages were given up is a minute at most, whatever they were given up for", () => {
  const away = times(30, UNAVAILABLE, { messages: 1 });
  const old = { messages: 1, since: FACTS.now - 8 * DAY_MS };
  const pauseAfter = (outcome: CallOutcome, state = away) => {
    const { action, state: next } = after(state, outcome, old);
    return [action, next.notBefore - FACTS.now];
  };
  expect(pauseAfter(UNAVAILABLE)).toEqual(["dead", 60_000]);
  expect(pauseAfter(REFUSED, { ...away, attempts: 3 })).toEqual(["dead", 60_000]);
  expect(pauseAfter({ kind: "deferred", flow: { type: "retry", in: DAY_MS } })).toEqual(["dead", 60_000]);
  expect(after(away, UNAVAILABLE, { messages: 1 }).state.notBefore - FACTS.now).toBe(300_000);
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

describe("messages that a connector defers", () => {
  const LATER: CallOutcome = { kind: "deferred", flow: { type: "retry", in: 5_000, size: 3 } };

  test("a connector can ask to get messages later, and that is not a failure", () => {
    const { state, action } = after(NEW_DELIVERY, LATER);
    expect(action).toBe("again");
    expect(state).toMatchObject({ notBefore: 15_000, size: 3, failures: 0, attempts: 0, tries: 1, deferrals: 1 });
  });

  test("with an error status it is a failure, and the pauses get longer", () => {
    const busy: CallOutcome = { ...LATER, flow: { type: "retry", in: 150 }, reason: "It answered with status 503." };
    const pauses = [1, 2, 3].map((count) => times(count, busy).notBefore - FACTS.now);
    expect(pauses).toEqual([150, 200, 400]);
    expect(times(5, busy)).toMatchObject({ failures: 5, lastError: "It answered with status 503." });
  });

  test("they are given up after a hundred deferrals and a day, whichever is later", () => {
    const often = times(150, LATER);
    expect(after(often, LATER, { now: FACTS.now + DAY_MS - 1 }).action).toBe("again");
    expect(after(often, LATER, { now: FACTS.now + DAY_MS })).toMatchObject({ action: "dead", state: { deferrals: 0 } });
    const long = times(98, LATER);
    const late = { now: FACTS.now + 3 * DAY_MS };
    const again = after(long, LATER, late);
    expect(again.action).toBe("again");
    expect(after(again.state, LATER, late).action).toBe("dead");
  });

  test("a connector that waits for its settings may wait for days, with pauses of a day", () => {
    const waiting: CallOutcome = { kind: "deferred", flow: { type: "retry", in: DAY_MS }, reason: "It answered 503." };
    let state = NEW_DELIVERY;
    for (let day = 0; day < 7; day++) {
      const next = after(state, waiting, { now: FACTS.since + day * DAY_MS });
      expect([day, next.action]).toEqual([day, "again"]);
      state = next.state;
    }
    const last = after(state, waiting, { now: FACTS.since + 7 * DAY_MS + 1 });
    expect(last.action).toBe("dead");
    // The messages behind it do not wait for another day each.
    expect(last.state.notBefore - last.state.decidedAt).toBeLessThanOrEqual(60_000);
  });

  test("calls shrink on the way to the limit, so that messages that are not the cause are delivered", () => {
    expect(nextCallSize(times(50, { kind: "deferred", flow: { type: "retry" } }))).toBe(100);
    expect(nextCallSize(times(51, { kind: "deferred", flow: { type: "retry" } }, { messages: 100 }))).toBe(25);
  });
});

test("every call with the same first message is counted, whatever becomes of it", () => {
  const twice = after(times(1, UNAVAILABLE), REFUSED).state;
  expect(twice.tries).toBe(2);
  expect(after(twice, { kind: "deferred", flow: { type: "retry" } }).state.tries).toBe(3);
  expect(after(twice, DELIVERED).state.tries).toBe(0);
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
