import { isGzip, withoutUserAttributePrefix } from "@muster/protocol";
import type { AttributeType } from "@muster/protocol/api/choices";
import { EVENT_COLUMNS, IDENTIFIER_COLUMNS } from "@muster/protocol/api/file-fields";
import type { Delimiter, ImportColumn, InspectedColumn, InspectedFile, NewImport } from "@muster/protocol/api/imports";
import type { JobObject } from "@muster/protocol/api/jobs";
import type { Api } from "../api.js";
import type { CommandContext } from "../command-context.js";
import { usageFailure } from "../failure.js";
import type { ImportFile } from "./import-file.js";

/** What the operator says about a file. */
export interface FormatFlags {
  csv?: boolean;
  delimiter?: string;
  /** The fields that columns become, by the names of the columns. */
  column: ReadonlyMap<string, string>;
  /** Columns or fields that hold numbers, and those that hold true and false. */
  number: readonly string[];
  boolean: readonly string[];
  csvFormulas?: boolean;
}

type Format = Pick<NewImport, "format"> & Partial<Pick<NewImport, "delimiter" | "header" | "columns" | "csv_formulas">>;

/** A mapping takes no more. */
const MAX_COLUMNS = 2_000;

/**
 * How the server shall read a file. JSON is imported as it is. The columns of CSV become what the server guesses, as on the
 * screen of the dashboard, unless flags say more. The content decides what a file is, and not its name.
 */
export async function findFormat(
  api: Api,
  object: JobObject,
  file: ImportFile,
  flags: FormatFlags,
  context: CommandContext,
): Promise<Format> {
  const isNamedCsv = flags.csv ?? /\.(csv|tsv)(\.gz)?(\?.*)?$/i.test(file.name);
  if (!isNamedCsv && !isSurelyCsv(file)) return { format: "json" };
  const inspected = await api.post<InspectedFile>("/imports/inspect", {
    object,
    url: file.url,
    header: true,
    ...(flags.csv ? { format: "csv" } : {}),
    ...(flags.delimiter === undefined ? {} : { delimiter: flags.delimiter === "tab" ? "\t" : flags.delimiter }),
  });
  if (inspected.format === "json") {
    context.warn(`${file.name} holds JSON, and is read as JSON.`);
    return { format: "json" };
  }
  if (!isNamedCsv) context.warn(`${file.name} does not hold JSON, and is read as CSV.`);
  return {
    format: "csv",
    header: true,
    // The server answers one that it takes.
    delimiter: inspected.delimiter as Delimiter,
    columns: columnsOf(inspected, object, flags),
    csv_formulas: flags.csvFormulas ?? false,
  };
}

/** Whether no line at the beginning is JSON: the first may be a broken record. A compressed file does not tell. */
function isSurelyCsv({ beginning }: ImportFile): boolean {
  if (beginning.length === 0 || isGzip(beginning)) return false;
  const text = new TextDecoder().decode(beginning);
  return text.trim() !== "" && !/^\s*[[{]/m.test(text);
}

function columnsOf({ columns, is_whole }: InspectedFile, object: JobObject, flags: FormatFlags): ImportColumn[] {
  const names = columns.map(({ column }) => column);
  const missing = [...flags.column.keys()].find((column) => !names.includes(column));
  if (missing !== undefined) {
    throw usageFailure(`The file has no column "${missing}": it has ${names.slice(0, 50).join(", ")}.`);
  }
  if (columns.length >= MAX_COLUMNS) {
    throw usageFailure(`The file has ${MAX_COLUMNS.toLocaleString("en")} columns or more, which is too many.`);
  }
  const given = new Map([...flags.column].map(([column, field]) => [column, targetOf(object, field)]));
  const taken = new Set([...given.values()].map(keyOf));
  return columns.map((inspected) => {
    const { column } = inspected;
    const guess = guessOf(inspected, object, is_whole);
    // A column that the operator has named wins over one that was guessed.
    const target = given.get(column) ?? (taken.has(keyOf(guess)) ? { to: "ignore" as const, name: column } : guess);
    return { column, ...target, type: typeOf(inspected, target, flags) };
  });
}

type Target = Required<Pick<ImportColumn, "to" | "name">>;

function keyOf({ to, name }: Target): string {
  return `${to} ${name}`;
}

/** Names of identifiers as records in JSON may have them too. */
const SPELLINGS: Record<JobObject, Record<string, string>> = {
  users: { userId: "external_id", anonymousId: "anonymous_id", accountId: "account.external_id" },
  accounts: { accountId: "external_id", anonymousId: "anonymous_id" },
  events: { userId: "external_id", anonymousId: "anonymous_id", eventId: "event_id", timestamp: "created_at" },
};

/** What a field is that the operator names. */
function targetOf(object: JobObject, field: string): Target {
  const name = SPELLINGS[object][field] ?? field;
  if (IDENTIFIER_COLUMNS[object].includes(name)) return { to: "identifier", name };
  if (object !== "events")
    return { to: "attribute", name: object === "users" ? withoutUserAttributePrefix(name) : name };
  return EVENT_COLUMNS.includes(name) ? { to: "field", name } : { to: "property", name };
}

/** The server leaves out a column that is empty in its sample. Behind the sample there may be values. */
function guessOf({ suggestion: { to, name }, filled }: InspectedColumn, object: JobObject, isWhole: boolean): Target {
  const isLeftOut = to === "ignore" && filled === 0 && !isWhole;
  return isLeftOut ? { to: object === "events" ? "property" : "attribute", name } : { to, name };
}

/** Only known attributes have a type by themselves: a text that looks like a number may be a name, such as a postcode. */
function typeOf({ column, known_type }: InspectedColumn, { to, name }: Target, flags: FormatFlags): AttributeType {
  if (to !== "attribute" && to !== "property") return "string";
  const isIn = (names: readonly string[]) => names.includes(name) || names.includes(column);
  if (isIn(flags.number)) return "numeric";
  if (isIn(flags.boolean)) return "boolean";
  // The server reads more forms of dates in an attribute than in a cell.
  return known_type === undefined || known_type === "date" ? "string" : known_type;
}
