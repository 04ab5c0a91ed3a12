import fc from "fast-check";
import { expect, test } from "vitest";
import { nextCallAt, readFlowControl } from "./flow-control.js";

const read = (flow_control: unknown) => readFlowControl({ flow_control });

test("a complete flow control is read as it is", () => {
  const given = { type: "retry", size: 10, in: 1_000, in_time: 5_000, at: 1_700_000_000, until: "ship:update" };
  expect(read(given)).toEqual(given);
});

test.each([
  ["numbers as text", { type: "retry", size: "5", in: "20" }, { type: "retry", size: 5, in: 20 }],
  ["no type", { in: 5 }, { type: "next", in: 5 }],
  ["an unknown type", { type: "later" }, { type: "next" }],
  ["a size of zero", { type: "next", size: 0 }, { type: "next" }],
  ["a negative wait", { type: "next", in: -1 }, { type: "next" }],
  ["a size that is too large", { type: "next", size: 1e9 }, { type: "next", size: 10_000 }],
  ["a wait that is too long", { type: "next", in: 1e12 }, { type: "next", in: 86_400_000 }],
  [
    "an unusable value in every part",
    { type: 1, size: "x", in: {}, in_time: [], at: "soon", until: "noon" },
    { type: "next" },
  ],
  ["a time in milliseconds", { type: "next", at: 1_700_000_000_000 }, { type: "next", at: 1_700_000_000 }],
  ["a date", { type: "next", at: "2026-01-01T00:00:00Z" }, { type: "next", at: 1_767_225_600 }],
])("%s can be read", (_name, given, expected) => {
  expect(read(given)).toEqual(expected);
});

test.each([[undefined], [null], ["next"], [[]], [{ flow_control: null }], [{ flow_control: [] }]])(
  "%j holds no flow control",
  (answer) => {
    expect(readFlowControl(answer)).toBeUndefined();
  },
);

test("the later of `in` and `at` decides when the next call is made", () => {
  expect(nextCallAt({ type: "next", in: 500 }, 1_000)).toBe(1_500);
  expect(nextCallAt({ type: "next", in: 500, at: 3 }, 1_000)).toBe(3_000);
  expect(nextCallAt({ type: "next", at: 0.5 }, 1_000)).toBe(1_000);
  expect(nextCallAt(undefined, 1_000)).toBe(1_000);
});

test("after any answer, the next call is within a day and has a size of at least one", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (answer) => {
      const flow = readFlowControl({ flow_control: answer });
      const at = nextCallAt(flow, 1_000);
      expect(at).toBeGreaterThanOrEqual(1_000);
      expect(at).toBeLessThanOrEqual(1_000 + 86_400_000);
      if (flow?.size !== undefined) expect(flow.size).toBeGreaterThanOrEqual(1);
    }),
  );
});
