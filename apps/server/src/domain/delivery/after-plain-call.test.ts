import { expect, test } from "vitest";
import { afterAnswer, afterPlainCall, afterSilence, isAway, type MessageTries } from "./after-plain-call.js";
import { type CallOutcome, NEW_DELIVERY } from "./delivery.js";

const LIMITS = { attempts: 3, maxAgeMs: 60_000, firstRetryMs: 100 };
const FACTS = { now: 10_000, startedAt: 9_900, since: 9_000, isThere: false, hasAnswer: false, random: 1 };
const REFUSED: CallOutcome = { kind: "refused", reason: "no", flow: undefined };
const SILENT = { kind: "unavailable", reason: "gone", flow: undefined } as const;

function times(count: number, outcome: CallOutcome, isThere: boolean) {
  let tries: MessageTries | undefined;
  let kind = "again";
  for (let call = 0; call < count; call++) {
    const action = afterPlainCall(tries, outcome, LIMITS, { ...FACTS, isThere });
    kind = action.kind;
    tries = action.kind === "done" ? undefined : action.tries;
  }
  return { kind, tries };
}

test("a message that is refused waits longer each time, and is given up after the last attempt", () => {
  expect(times(1, REFUSED, false)).toEqual({ kind: "again", tries: { tries: 1, attempts: 1, notBefore: 10_100 } });
  expect(times(2, REFUSED, false)).toMatchObject({ kind: "again", tries: { notBefore: 10_200 } });
  expect(times(3, REFUSED, false)).toMatchObject({ kind: "dead", tries: { tries: 3 } });
  // Its age does not matter: it may have waited while the connector was disabled.
  const old = { ...FACTS, since: FACTS.now - 60_001 };
  expect(afterPlainCall(undefined, REFUSED, LIMITS, old).kind).toBe("again");
});

test("a call without an answer counts only when the connector answered another call meanwhile", () => {
  expect(times(20, SILENT, false)).toMatchObject({ kind: "again", tries: { tries: 20, attempts: 0 } });
  expect(times(3, SILENT, true)).toMatchObject({ kind: "dead" });
  const old = afterPlainCall(undefined, SILENT, LIMITS, { ...FACTS, since: FACTS.now - 60_001 });
  expect(old.kind).toBe("dead");
});

test("a status that says that the connector cannot take messages now never counts, also while it takes others", () => {
  const busy: CallOutcome = { kind: "unavailable", reason: "It answered with status 429.", flow: undefined };
  const facts = { ...FACTS, isThere: true, hasAnswer: true };
  const before = { tries: 20, attempts: 2, notBefore: 0 };
  expect(afterPlainCall(before, busy, LIMITS, facts)).toMatchObject({ kind: "again", tries: { attempts: 2 } });
});

test("a connector is away when calls about five different objects were not answered", () => {
  let state = NEW_DELIVERY;
  for (const unreached of [1, 2, 2, 3, 4]) state = afterSilence(state, SILENT, unreached, LIMITS, FACTS);
  expect(isAway(state)).toBe(false);
  state = afterSilence(state, SILENT, 5, LIMITS, FACTS);
  expect([isAway(state), state.notBefore]).toEqual([true, 10_100]);
  // Calls that were open at that moment end after it, and do not make the pause longer.
  expect(afterSilence(state, SILENT, 6, LIMITS, FACTS).notBefore).toBe(10_100);
  const tested = afterSilence(state, SILENT, 6, LIMITS, { ...FACTS, startedAt: 10_150, now: 10_200 });
  expect(tested.notBefore).toBe(10_400);
  expect(isAway(afterAnswer(tested, undefined))).toBe(false);
});
