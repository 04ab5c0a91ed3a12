import { expect, test } from "vitest";
import { showProperties, showValue } from "./show-value.js";

test("no value, an empty text and an empty list are told apart", () => {
  expect([null, "", [], false, 0].map(showValue)).toEqual(["no value", "empty text", "empty list", "false", "0"]);
  expect(showValue({ a: [1] })).toBe('{"a":[1]}');
});

test("many properties are cut, and the others counted", () => {
  expect(showProperties({ a: 1, b: "x" })).toBe("a: 1 · b: x");
  expect(showProperties({ a: 1, b: 2, c: 3 }, 2)).toBe("a: 1 · b: 2 · 1 more");
});

test("an id is left out beside its name", () => {
  expect(showProperties({ segment_id: "01a1", segment_name: "VIPs", order_id: 7 })).toBe(
    "segment_name: VIPs · order_id: 7",
  );
});
