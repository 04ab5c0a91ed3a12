import { expect, test } from "vitest";
import { parseMetrics, sumOf } from "./read-metrics.js";

const TEXT = `# HELP entries Entries.
# TYPE entries counter
entries{outcome="applied"} 120
entries{outcome="refused",text="a \\"quoted\\" one, with } and ="} 3
plain 1.5e+3
broken
`;

test("metrics are read with their labels, and comments and other lines are left out", () => {
  expect(parseMetrics(TEXT).map(({ name, value }) => [name, value])).toEqual([
    ["entries", 120],
    ["entries", 3],
    ["plain", 1_500],
  ]);
  expect(parseMetrics(TEXT)[0]?.labels).toEqual({ outcome: "applied" });
});

test("a sum is over the accepted labels, and undefined for a metric that does not exist", () => {
  const samples = parseMetrics(TEXT);
  expect(sumOf(samples, "entries")).toBe(123);
  expect(sumOf(samples, "entries", ({ outcome }) => outcome === "applied")).toBe(120);
  expect(sumOf(samples, "nothing")).toBeUndefined();
});
