/** Where a command writes: `print` is its answer, `warn` is for the person and never part of the answer. */
export interface Output {
  print(text: string): void;
  warn(text: string): void;
  /** Shows how far something has come, in place of what it showed before; nothing where nobody watches. */
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

/** Names and values, one a line. */
export function lines(values: Record<string, string>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join("\n");
}
