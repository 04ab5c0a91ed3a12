import type { Readable } from "node:stream";
import type { AttributeType } from "@muster/protocol/api/values";
import { parse } from "csv-parse";

/** Gives the type of a column by its name; undefined for text. */
export type ColumnTypeOf = (column: string) => AttributeType | undefined;

/** How a CSV file is read. */
export interface CsvReading {
  typeOf: ColumnTypeOf;
  /** Between the cells; a comma when it is left out. */
  delimiter?: string | undefined;
  /** The fields that columns become, by the names of the columns. */
  fields?: ReadonlyMap<string, string> | undefined;
  /** The file was extracted without escaping formulas. */
  withFormulas?: boolean | undefined;
}

/**
 * Turns CSV with a header row into NDJSON; empty cells are left out. An extract escapes cells that a spreadsheet would run
 * as a formula with a leading quote: the quote is removed, unless the file was extracted with formulas. Each record is on
 * the line on which its row ends, so that the server names refused rows by their line in the CSV file.
 */
export async function* csvRecords(csv: Readable, reading: CsvReading): AsyncGenerator<Buffer> {
  const { typeOf, delimiter = ",", fields = new Map<string, string>(), withFormulas } = reading;
  const original = (text: string) => (withFormulas || !QUOTED_FORMULA.test(text) ? text : text.slice(1));
  const columns = (given: string[]) => {
    const names = given.map(original);
    const missing = [...fields.keys()].filter((column) => !names.includes(column));
    if (missing.length > 0) throw new Error(`The file has no column "${missing[0]}": it has ${names.join(", ")}.`);
    return names.map((name) => fields.get(name) ?? name);
  };
  const cast = (text: string, { header }: { header: boolean }) => (header ? text : original(text));
  const rows = csv.pipe(parse({ columns, cast, delimiter, info: true, bom: true, skip_empty_lines: true }));
  csv.on("error", (error) => rows.destroy(error));
  let lines: string[] = [];
  let written = 0;
  for await (const { record, info } of rows as AsyncIterable<Row>) {
    for (; written < info.lines - 1; written++) lines.push("");
    lines.push(JSON.stringify(recordOf(record, typeOf, info.lines)));
    written += 1;
    if (lines.length < LINES_PER_PIECE) continue;
    yield Buffer.from(`${lines.join("\n")}\n`);
    lines = [];
  }
  if (lines.length > 0) yield Buffer.from(`${lines.join("\n")}\n`);
}

interface Row {
  record: Record<string, string>;
  /** The line in which the row ends. */
  info: { lines: number };
}

const QUOTED_FORMULA = /^'+[-=+@\t\r\n]/;
// The account that a user is linked to, as the columns of an extract name it too.
const ACCOUNT_IDENTIFIER = /^account\.(external_id|domain)$/;
const LINES_PER_PIECE = 1_000;

function recordOf(row: Record<string, string>, typeOf: ColumnTypeOf, line: number): Record<string, unknown> {
  const cells = Object.entries(row).filter(([, text]) => text !== "");
  const record: Record<string, unknown> = {};
  const account: Record<string, string> = {};
  for (const [column, text] of cells) {
    const identifier = ACCOUNT_IDENTIFIER.exec(column)?.[1];
    if (identifier === undefined) record[column] = readCell(text, typeOf(column), column, line);
    else account[identifier] = text;
  }
  return Object.keys(account).length === 0 ? record : { ...record, account };
}

function readCell(text: string, type: AttributeType | undefined, column: string, line: number): unknown {
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
