import type { BenchResult } from "./bench-result.js";
import { renderTable } from "./render-table.js";

/** Prints the tables of a result, and what failed. A failure makes the process end with 1. */
export function printResult({ about, tables, failures = [] }: BenchResult): void {
  if (about !== undefined) console.log(`${about}\n`);
  for (const { headings, rows } of tables) console.log(renderTable(headings, rows), "\n");
  for (const failure of failures) console.error(failure);
  if (failures.length > 0) process.exitCode = 1;
}
