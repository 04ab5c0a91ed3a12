import { expect, test } from "vitest";
import { Random } from "./random.js";

const numbers = (seed: number) => {
  const random = new Random(seed);
  return Array.from({ length: 20 }, () => random.next());
};

test("the same seed gives the same numbers, and another seed gives others", () => {
  expect(numbers(7)).toEqual(numbers(7));
  expect(numbers(7)).not.toEqual(numbers(8));
  expect(numbers(7).every((number) => number >= 0 && number < 1)).toBe(true);
});

test("a shuffled list has the same items, and the given list keeps its order", () => {
  const items = [1, 2, 3, 4, 5];
  expect(new Random(1).shuffle(items).sort()).toEqual(items);
  expect(items).toEqual([1, 2, 3, 4, 5]);
});
