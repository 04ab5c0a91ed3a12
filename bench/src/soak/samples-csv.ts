import type { Sample } from "./sample.js";

/** All samples as CSV: a line for each, a column for each figure. */
export function samplesCsv(samples: readonly Sample[]): string {
  const rows = samples.map(columnsOf);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((column) => String(round(row[column] ?? 0))).join(","));
  return `${[columns.join(","), ...lines].join("\n")}\n`;
}

function columnsOf(sample: Sample): Record<string, number> {
  const columns: Record<string, number> = {};
  const add = (value: unknown, name: string): void => {
    if (typeof value === "number") columns[name] = value;
    else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) add(inner, name === "" ? key : `${name}.${key}`);
    }
  };
  add(sample, "");
  return columns;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
