/** Where a command writes: `print` writes its output, `warn` writes to the person and is never part of the output. */
export interface Output {
  print(text: string): void;
  warn(text: string): void;
  /** Shows the progress in place of the last one. Shows nothing without a terminal. */
  progress(text: string): void;
}

/** Columns of text, as wide as their widest cell. */
export function table(headings: string[], rows: string[][]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Names and values, one pair in each line. */
export function lines(values: Record<string, string>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join("\n");
}
