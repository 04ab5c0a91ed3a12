import { renderTable } from "../lib/render-table.js";
import type { Verdict } from "./check.js";

const SHOWN_EXAMPLES = 5;

/** Prints the verdicts, with the first examples of each promise that was broken. Returns whether none was. */
export function reportVerdicts(verdicts: Verdict[]): boolean {
  const rows = verdicts.map(({ promise, checked, broken }) => [promise, broken.length, checked]);
  console.log(`${renderTable(["what must not be", "found", "looked at"], rows)}\n`);
  const failed = verdicts.filter(({ broken }) => broken.length > 0);
  for (const { promise, broken } of failed) {
    console.log(`${promise}, for example:`);
    for (const example of broken.slice(0, SHOWN_EXAMPLES)) console.log(`  ${example}`);
  }
  return failed.length === 0;
}
