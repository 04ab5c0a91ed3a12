import type { Chart, ResultTable } from "../lib/bench-result.js";
import { renderCell } from "../lib/render-table.js";
import { stolenSentence } from "../lib/stolen-time.js";
import { growthChart } from "./growth-chart.js";
import type { Machine } from "./machine.js";
import { PLAN, type PlannedRun } from "./plan.js";
import type { MeasuredRun, Results } from "./results.js";

export interface Page {
  markdown: string;
  charts: Chart[];
}

const HEAD = `# Performance

What was measured, on which machine, and beside what. \`npm run report\` measures again and writes this page, its plots and
[performance/results.json](performance/results.json); \`npm run report -- --render\` writes the page from that file alone.
\`met\` and \`MISSED\` say whether a measurement reached its goal. Load, server and engines share the machine.
[What each benchmark does](../bench/README.md) is described beside its code.`;

/** The page about performance, and the charts that it shows. */
export function renderPage(results: Results): Page {
  const charts: Chart[] = [];
  const growth = growthChart(results);
  const parts = PLAN.flatMap((planned) => {
    const measured = results[planned.key];
    if (!measured) return [];
    const own = [...(measured.result.charts ?? []), ...(growth && planned.key === LAST_SIZE ? [growth] : [])];
    charts.push(...own);
    return [renderRun(planned, measured, own)];
  });
  return { markdown: `${[HEAD, renderMachines(results), ...parts].join("\n\n")}\n`, charts };
}

/** The growth with size is shown after the largest size. */
const LAST_SIZE = PLAN.findLast(({ bench }) => bench === "search")?.key;

function renderMachines(results: Results): string {
  const machines = new Map(Object.values(results).map(({ machine }) => [JSON.stringify(machine), machine]));
  return renderTable({
    headings: ["processor", "cores", "memory", "system", "Node"],
    rows: [...machines.values()].map(({ processor, cores, memoryGb, system, node }: Machine) => [
      processor,
      cores,
      `${memoryGb} GB`,
      system,
      node,
    ]),
  });
}

function renderRun(
  { title, text }: PlannedRun,
  { date, scale, minutes, stolenPercent, result }: MeasuredRun,
  charts: Chart[],
): string {
  const duration = minutes === undefined ? `scale ${scale}` : `scale ${scale}, ${minutes} minutes`;
  const stolen = stolenPercent === undefined ? undefined : stolenSentence(stolenPercent);
  const facts = [result.about, `Measured on ${date.slice(0, 10)}, ${duration}.`, stolen];
  const about = facts.filter((part) => part !== undefined);
  return [
    `## ${title}`,
    text,
    about.map((part) => (part.endsWith(".") ? part : `${part}.`)).join(" "),
    ...result.tables.map(renderTable),
    ...(result.failures ?? []).map((failure) => `**${failure}**`),
    ...charts.map((chart) => `![${chart.title}](performance/${chart.name}.svg)`),
  ].join("\n\n");
}

function renderTable({ headings, rows }: ResultTable): string {
  const isNumeric = headings.map((_, column) => rows.every((row) => typeof row[column] === "number"));
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [
    line(headings),
    line(isNumeric.map((numeric) => (numeric ? "---:" : "---"))),
    ...rows.map((row) => line(row.map(renderCell))),
  ].join("\n");
}
