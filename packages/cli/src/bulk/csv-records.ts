import type { Readable } from "node:stream";
import { parse } from "csv-parse";

/** The type of the values in a column. */
export type ColumnType = "string" | "numeric" | "boolean" | "array" | "json" | "date";

/** Gives the type of a column by its name; undefined for text. */
export type ColumnTypeOf = (column: string) => ColumnType | undefined;

/**
 * Turns CSV with a header row into one JSON record in each line; empty cells are left out. An extract puts a quote in front
 * of cells that a spreadsheet would run as a formula; it is taken away, unless the file was extracted with formulas.
 */
export async function* csvRecords(csv: Readable, typeOf: ColumnTypeOf, withFormulas = false): AsyncGenerator<Buffer> {
  const original = (text: string) => (withFormulas || !QUOTED_FORMULA.test(text) ? text : text.slice(1));
  const columns = (names: string[]) => names.map(original);
  const rows = csv.pipe(
    parse({ columns, cast: (text, { header }) => (header ? text : original(text)), bom: true, skip_empty_lines: true }),
  );
  csv.on("error", (error) => rows.destroy(error));
  let lines: string[] = [];
  let line = 1;
  for await (const row of rows) {
    line += 1;
    lines.push(JSON.stringify(recordOf(row as Record<string, string>, typeOf, line)));
    if (lines.length < LINES_PER_PIECE) continue;
    yield Buffer.from(`${lines.join("\n")}\n`);
    lines = [];
  }
  if (lines.length > 0) yield Buffer.from(`${lines.join("\n")}\n`);
}

const QUOTED_FORMULA = /^'+[-=+@\t\r\n]/;
const LINES_PER_PIECE = 1_000;

function recordOf(row: Record<string, string>, typeOf: ColumnTypeOf, line: number): Record<string, unknown> {
  const cells = Object.entries(row).filter(([, text]) => text !== "");
  return Object.fromEntries(cells.map(([column, text]) => [column, readCell(text, typeOf(column), column, line)]));
}

function readCell(text: string, type: ColumnType | undefined, column: string, line: number): unknown {
  const unreadable = (what: string) =>
    new Error(`Row ${line}: "${text}" in the column "${column}" cannot be read as ${what}.`);
  switch (type) {
    case "numeric": {
      const number = Number(text);
      if (!Number.isFinite(number)) throw unreadable("a number");
      return number;
    }
    case "boolean":
      if (!/^(true|false|1|0|yes|no)$/i.test(text)) throw unreadable("true or false");
      return /^(true|1|yes)$/i.test(text);
    case "array":
    case "json":
      try {
        return JSON.parse(text) as unknown;
      } catch {
        if (type === "array") return text.split(",").map((part) => part.trim());
        throw unreadable("JSON");
      }
    default:
      return text;
  }
}
