import { createId, deriveId } from "@muster/protocol";
import { expect, test } from "vitest";
import { keyOf } from "./keys.js";

test("the keys of ids do not change", () => {
  expect(["000000000000000000000000", "0190000000001000000000aa", "ffffffffffffffffffffffff"].map(keyOf)).toEqual([
    660431932724861232n,
    1622320212816958145n,
    -5468989168109980120n,
  ]);
});

test("a text that is no id of Muster keeps its key too", () => {
  expect(keyOf("ABCDEF0123456789abcdef01")).toBe(keyOf("abcdef0123456789abcdef01"));
  expect(keyOf("user-1")).toBe(keyOf(""));
});

test("consecutive ids and derived ids have different keys", () => {
  const ids = [
    ...Array.from({ length: 200_000 }, () => createId("user", 1_700_000_000_000)),
    ...Array.from({ length: 100_000 }, (_, n) => createId("account", n)),
    ...Array.from({ length: 100_000 }, (_, n) => deriveId("event", 1_700_000_000_000 + (n % 1_000), String(n))),
  ];
  expect(new Set(ids.map(keyOf)).size).toBe(ids.length);
});

test("each bit of a key is set for half of the ids", () => {
  const count = 20_000;
  const set = new Array<number>(64).fill(0);
  for (let n = 0; n < count; n++) {
    const key = BigInt.asUintN(64, keyOf(createId("user", 1_700_000_000_000 + n)));
    for (let bit = 0; bit < 64; bit++) set[bit]! += Number((key >> BigInt(bit)) & 1n);
  }
  for (const ones of set) expect(Math.abs(ones / count - 0.5)).toBeLessThan(0.03);
});
