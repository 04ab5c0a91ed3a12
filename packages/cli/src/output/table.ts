import stringWidth from "string-width";
import { printableCell } from "./printable.js";

const GAP = "  ";
const NARROWEST = 8;
const ID_LENGTH = 24;
const OBJECT_ID = /^[0-9a-f]{24}$/;

/**
 * Columns of text, as wide as their widest cell. With a width, the widest columns are cut until a line fits; ids are
 * never cut, because people copy them.
 */
export function table(headings: string[], rows: string[][], width?: number): string {
  const cells = [headings, ...rows].map((line) => line.map(printableCell));
  const natural = headings.map((_, column) => Math.max(...cells.map((line) => stringWidth(line[column] ?? ""))));
  const narrowest = headings.map((_, column) =>
    rows.some((row) => OBJECT_ID.test(row[column] ?? "")) ? ID_LENGTH : NARROWEST,
  );
  const widths = width === undefined ? natural : narrow(natural, narrowest, width);
  return cells
    .map((line) =>
      line
        .map((cell, column) => pad(cut(cell, widths[column] ?? 0), widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join("\n");
}

/** Names and values, one pair in each line. */
export function lines(values: Record<string, string>): string {
  const width = Math.max(...Object.keys(values).map((name) => stringWidth(name)));
  return Object.entries(values)
    .map(([name, value]) => `${pad(printableCell(name), width)}${GAP}${printableCell(value)}`.trimEnd())
    .join("\n");
}

/** Narrows the widest columns until a line fits. */
function narrow(natural: number[], narrowest: number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1)) - width;
  while (excess > 0) {
    const [widest] = [...widths.keys()]
      .filter((column) => (widths[column] ?? 0) > (narrowest[column] ?? 0))
      .sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}
