import { expect, test } from "vitest";
import { judgeSlopes } from "./judge-slopes.js";
import type { Sample } from "./sample.js";

function samplesOf(change: (index: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: 60 }, (_, index) => ({
    second: index * 3,
    memoryMb: { server: 400, postgres: 200 },
    lagMs: { apply: 5, search: 20 },
    engineMb: 100 + index,
    tablesMb: { users: 50, changes: 10 + index },
    deadPercent: 4,
    ...change(index),
  }));
}

const growing = (samples: Sample[]) => judgeSlopes(samples).flatMap(({ figure, isFlat }) => (isFlat ? [] : [figure]));

test("level memory and lag, and files that grow evenly, are flat", () => {
  expect(growing(samplesOf(() => ({})))).toEqual([]);
});

test("peaks and growth in the warm-up count as flat", () => {
  const samples = samplesOf((index) => ({
    memoryMb: { server: index < 18 ? 100 + index * 15 : index % 9 === 0 ? 900 : 400, postgres: 200 },
  }));
  expect(growing(samples)).toEqual([]);
});

test("memory that grows steadily is found", () => {
  expect(growing(samplesOf((index) => ({ memoryMb: { server: 400 + index * 5, postgres: 200 } })))).toEqual([
    "memory of the server",
  ]);
});

test("a stage that falls behind is found", () => {
  expect(growing(samplesOf((index) => ({ lagMs: { apply: 5, search: index * 100 } })))).toEqual(["lag: search"]);
});

test("tables that grow faster and faster are found", () => {
  expect(growing(samplesOf((index) => ({ tablesMb: { changes: index * index } })))).toEqual(["growth of all tables"]);
});

test("dead rows that are not removed are found", () => {
  expect(growing(samplesOf((index) => ({ deadPercent: index })))).toEqual(["dead rows in PostgreSQL"]);
});

test("without samples nothing is judged", () => {
  expect(judgeSlopes([])).toEqual([]);
});
