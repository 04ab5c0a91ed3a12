import { expect, test } from "vitest";
import { CPU_PARTS, type CpuParts } from "../lib/cpu-parts.js";
import { type Grown, growthTables } from "./growth-tables.js";

function grownTo(users: number, us: Partial<CpuParts>): Grown {
  const none = Object.fromEntries(CPU_PARTS.map((part) => [part, 0])) as CpuParts;
  const report = { entries: 1, refused: 0, seconds: 1, position: "", p50Ms: 5, p99Ms: 20, timeline: [] };
  const load = { name: String(users), searchablePerSecond: 5_000, cpuUs: { ...none, ...us }, report };
  return { users, load, searches: [{ name: "term", p50Ms: users / 1_000, p95Ms: users / 500 }] };
}

const goalOf = (...grown: Grown[]) => growthTables(grown).tables[0]?.rows;

test("the largest size is compared with the smallest, and what grows is named, the most first", () => {
  const grown = [
    grownTo(1_000, { "main thread": 50, "PostgreSQL backends": 50, "other threads of the server": 10 }),
    grownTo(50_000, { "main thread": 55, "PostgreSQL backends": 80, "other threads of the server": 10 }),
  ];
  expect(goalOf(...grown)).toEqual([
    ["with 50000 users, beside 1000", "1.32 times", "≤ 1.3 times", "MISSED"],
    ["what grows", "PostgreSQL backends +30 µs, main thread +5 µs", "", ""],
  ]);
});

test("a cost that stays reaches the goal", () => {
  const rows = goalOf(grownTo(1_000, { "main thread": 50 }), grownTo(50_000, { "main thread": 50 }));
  expect(rows?.[0]?.at(-1)).toBe("met");
  expect(rows?.[1]).toEqual(["what grows", "nothing", "", ""]);
});

test("searches have the times of each size side by side", () => {
  const { tables } = growthTables([grownTo(1_000, { "main thread": 1 }), grownTo(50_000, { "main thread": 1 })]);
  expect(tables.at(-1)?.rows).toEqual([["term", 1, 2, 50, 100]]);
});
