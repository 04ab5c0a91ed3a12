export type Cell = string | number;

/**
 * A table in plain text. Columns of numbers are aligned to the right, all others to the left.
 *
 * @example
 * renderTable(["library", "calls/s"], [["ours", 120000]]);
 */
export function renderTable(headings: string[], rows: Cell[][]): string {
  const lines = [headings, ...rows.map((row) => row.map(renderCell))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const isNumeric = headings.map((_, column) => rows.every((row) => typeof row[column] === "number"));
  const rendered = lines.map((line) =>
    line
      .map((text, column) =>
        isNumeric[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [rendered[0], rule, ...rendered.slice(1)].join("\n");
}

export function renderCell(cell: Cell): string {
  if (typeof cell === "string") return cell;
  return cell.toLocaleString("en", { maximumFractionDigits: Math.abs(cell) < 10 ? 2 : 0 });
}
