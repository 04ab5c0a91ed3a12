import { expect, test } from "vitest";
import { sizesOverTime } from "./segment-sizes.js";

const STARTS = [0, 10, 20, 30];
const sizes = (history: Parameters<typeof sizesOverTime>[0]) =>
  sizesOverTime(history, STARTS).map(({ start, size }) => [start, size]);

test("sizes are computed backwards from the present one", () => {
  const moves = [
    { start: 10, entered: 3, left: 1 },
    { start: 30, entered: 0, left: 4 },
  ];
  expect(sizes({ size: 5, createdAt: 0, moves })).toEqual([
    [0, 7],
    [10, 9],
    [20, 9],
    [30, 5],
  ]);
});

test("they begin with the interval in which the segment was created", () => {
  expect(sizes({ size: 5, createdAt: 19, moves: [] })).toEqual([
    [10, 5],
    [20, 5],
    [30, 5],
  ]);
  expect(sizes({ size: 5, createdAt: 20, moves: [] })).toEqual([
    [20, 5],
    [30, 5],
  ]);
});

test("moves from before that are shown too", () => {
  expect(sizes({ size: 5, createdAt: 35, moves: [{ start: 20, entered: 2, left: 0 }] })).toEqual([
    [20, 5],
    [30, 5],
  ]);
});

test("a size is never negative, also when more have entered than there are", () => {
  expect(sizes({ size: 2, createdAt: 0, moves: [{ start: 30, entered: 3, left: 0 }] }).at(0)).toEqual([0, 0]);
});
