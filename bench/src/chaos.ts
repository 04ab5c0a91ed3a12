import { CASES } from "./chaos/cases.js";
import type { BenchOptions } from "./lib/bench.js";
import { renderTable } from "./lib/render-table.js";
import { secondsSince } from "./lib/seconds-since.js";

/** Runs the cases whose names contain the text of `--only`, or all, one after the other. */
export async function run(options: BenchOptions): Promise<void> {
  const { only } = options;
  const chosen = CASES.filter(({ name }) => only === undefined || name.includes(only));
  if (chosen.length === 0) {
    const names = CASES.map(({ name }) => name).join(", ");
    throw new Error(`No case has "${only}" in its name. The cases are: ${names}.`);
  }
  const rows = [];
  for (const one of chosen) {
    const begunAt = performance.now();
    console.log(`\n== ${one.name}: ${one.description}`);
    const isGood = await one.run(options);
    if (!isGood) process.exitCode = 1;
    rows.push([one.name, isGood ? "kept" : "BROKEN", secondsSince(begunAt)]);
  }
  console.log(`\n${renderTable(["case", "promises", "s"], rows)}`);
}
