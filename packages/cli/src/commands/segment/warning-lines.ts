import type { SegmentWarning } from "@muster/protocol/api/segments";
import { printableCell } from "../../output/printable.js";

/** What is probably wrong with a query, as a paragraph with one line for each warning. */
export function warningLines(warnings: readonly SegmentWarning[]): string[] {
  const lines = warnings.map(({ message }) => `warning: ${printableCell(message)}`);
  return lines.length === 0 ? [] : [lines.join("\n")];
}
