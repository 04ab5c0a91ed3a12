import { expect, test } from "vitest";
import { UsedSignatures } from "./used-signatures.js";

const REFUSED = "The signature is not valid: it was used before.";

test("a signature is good for one call, for as long as Muster's signatures are valid", () => {
  const used = new UsedSignatures();
  used.take("a", 0);
  used.take("b", 1_000);
  expect(() => used.take("a", 10 * 60_000)).toThrow(REFUSED);
  used.take("a", 11 * 60_000);
  expect(() => used.take("b", 11 * 60_000)).toThrow(REFUSED);
  expect(() => used.take("a", 12 * 60_000)).toThrow(REFUSED);
});

test("a hundred thousand signatures are remembered, and the earliest is forgotten first", () => {
  const used = new UsedSignatures();
  for (let index = 0; index <= 100_000; index++) used.take(String(index), index);
  expect(() => used.take("1", 100_001)).toThrow(REFUSED);
  used.take("0", 100_002);
});
