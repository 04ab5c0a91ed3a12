import type { Chart } from "../lib/bench-result.js";
import type { Results } from "./results.js";

/** How figures grow with the size of what is asked: a line for each figure that was measured at two sizes or more. */
export function growthChart(results: Results): Chart | undefined {
  const sizes = Object.values(results)
    .flatMap(({ result }) => result.bySize ?? [])
    .sort((one, other) => one.size - other.size);
  const names = [...new Set(sizes.flatMap(({ figures }) => Object.keys(figures)))];
  const lines = names
    .map((name) => ({
      name,
      points: sizes.flatMap(({ size, figures }): [number, number][] => {
        const value = figures[name];
        return value === undefined ? [] : [[size, value]];
      }),
    }))
    .filter(({ points }) => new Set(points.map(([size]) => size)).size > 1);
  if (lines.length === 0) return undefined;
  return {
    name: "search-growth",
    title: "Questions as the audience grows: 95th percentile",
    x: { label: "users", isLogarithmic: true },
    y: { label: "ms", isLogarithmic: true },
    lines,
  };
}
