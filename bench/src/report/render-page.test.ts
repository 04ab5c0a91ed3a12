import { expect, test } from "vitest";
import type { Chart } from "../lib/bench-result.js";
import { drawChart } from "./draw-chart.js";
import { renderPage } from "./render-page.js";
import type { MeasuredRun, Results } from "./results.js";

const MACHINE = { processor: "A processor", cores: 2, memoryGb: 8, system: "linux x64", node: "v20.19.0" };

function measured(result: MeasuredRun["result"]): MeasuredRun {
  return { date: "2026-01-02T03:04:05.000Z", machine: MACHINE, scale: 0.2, result };
}

const CHART: Chart = {
  name: "soak-memory",
  title: "Memory <in> the soak",
  x: { label: "seconds" },
  y: { label: "MB" },
  lines: [
    {
      name: "server",
      points: [
        [0, 100],
        [10, 120],
        [20, 118],
      ],
    },
    {
      name: "PostgreSQL & others",
      points: [
        [0, 50],
        [10, 60],
        [20, 60],
      ],
    },
  ],
};

const search = (size: number, p95: number) =>
  measured({ tables: [], bySize: { size, figures: { term: p95, "only once": size === 10 ? 1 : Number.NaN } } });

test("the page has the machine once, and for each run its date, its tables, what failed and its plots", () => {
  const results: Results = {
    soak: measured({
      about: "Many entries",
      tables: [{ headings: ["figure", "MB"], rows: [["a|b", 1234.5]] }],
      charts: [CHART],
      failures: ["Not flat: memory."],
    }),
    bulk: { ...measured({ tables: [] }), stolenPercent: 12.3 },
  };
  const { markdown, charts } = renderPage(results);
  expect(markdown.match(/A processor/g)).toHaveLength(1);
  expect(markdown).toContain("Many entries. Measured on 2026-01-02, scale 0.2.");
  expect(markdown).toContain("scale 0.2. Others took 12 % of the processors' time during the run.");
  expect(markdown).toContain("| figure | MB |\n| --- | ---: |\n| a\\|b | 1,235 |");
  expect(markdown).toContain("**Not flat: memory.**");
  expect(markdown).toContain("![Memory <in> the soak](performance/soak-memory.svg)");
  expect(markdown.indexOf("## Imports")).toBeLessThan(markdown.indexOf("## A long run"));
  expect(charts).toEqual([CHART]);
});

test("the page has no code block, because every code block of a guide is run", () => {
  expect(renderPage({ soak: measured({ tables: [] }) }).markdown).not.toContain("```");
});

test("questions that were measured at two sizes are drawn as they grow", () => {
  const { charts } = renderPage({ "search-100k": search(10, 2), "search-1m": search(100, 8) });
  expect(charts.map(({ name }) => name)).toEqual(["search-growth"]);
  expect(charts[0]?.lines.find(({ name }) => name === "term")?.points).toEqual([
    [10, 2],
    [100, 8],
  ]);
});

test("one size alone is not drawn", () => {
  expect(renderPage({ "search-1m": search(100, 8) }).charts).toEqual([]);
});

test("a chart is drawn as one SVG image with a title, its axes, and a line and a name for each", () => {
  const svg = drawChart(CHART);
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  expect(svg).toContain("<title>Memory &lt;in&gt; the soak</title>");
  expect(svg).toContain("PostgreSQL &amp; others");
  expect(svg).toContain("seconds");
  expect(svg.match(/<path[^>]+stroke="#(0072b2|d55e00)"/g)).toHaveLength(2);
  expect(svg).not.toContain("<figure");
});

test("axes can be logarithmic", () => {
  const isLogarithmic = true;
  const points: [number, number][] = [
    [100_000, 3],
    [1_000_000, 20],
  ];
  const svg = drawChart({
    ...CHART,
    x: { label: "users", isLogarithmic },
    y: { label: "ms", isLogarithmic },
    lines: [{ name: "term", points }],
  });
  expect(svg).toContain("1,000,000");
});

test("lines after the seventh are dashed, so that no two look the same", () => {
  const lines = Array.from({ length: 8 }, (_, index): Chart["lines"][number] => ({
    name: `line ${index}`,
    points: [
      [0, index],
      [1, index],
    ],
  }));
  const svg = drawChart({ ...CHART, lines });
  expect(svg.match(/<path[^>]+d="M[^"]+"/g)?.length).toBeGreaterThanOrEqual(8);
  expect(svg.match(/stroke-dasharray/g)).toHaveLength(2);
});
