import { constants, createGunzip } from "node:zlib";
import { foreignFile, isGzip, isObject, Refusal } from "@muster/protocol";
import type { IMPORTS_API, InspectedColumn, InspectedFile } from "@muster/protocol/api/imports";
import type { Static } from "typebox";
import { loadAttributes } from "../../audience/attributes/attribute-definitions.js";
import { columnOf, columnsOf } from "../../domain/jobs/column-mapping.js";
import type { CsvFormat } from "../../domain/jobs/csv.js";
import { guessColumn, type KnownTypes } from "../../domain/jobs/guess-column.js";
import { guessFormat } from "../../domain/jobs/guess-format.js";
import { type JobObject, subjectTypeOf } from "../../domain/jobs/job.js";
import type { Database } from "../../storage/postgres/database.js";
import type { ImportFiles } from "../files/import-files.js";
import { whyForeign } from "./import-chunks.js";
import { RecordParser } from "./record-parser.js";
import { IncompleteFile } from "./record-splitter.js";

/** How the file is read; what is left out is guessed. */
export type InspectRequest = Static<(typeof IMPORTS_API)["POST /api/v1/imports/inspect"]["body"]>;

export interface ImportInspectorOptions {
  database: Database;
  files: ImportFiles;
  maxAttributes: number;
}

const SAMPLE_BYTES = 256 * 1024;
const SAMPLE_ROWS = 2_000;
const SHOWN_ROWS = 10;
const SHOWN_VALUES = 5;
const SHOWN_LENGTH = 200;
// As many as a mapping may have.
const MAX_COLUMNS = 2_000;

/** Reads the beginning of a file and guesses what its columns are. */
export class ImportInspector {
  readonly #options: ImportInspectorOptions;

  constructor(options: ImportInspectorOptions) {
    this.#options = options;
  }

  async inspect(organizationId: string, request: InspectRequest, signal: AbortSignal): Promise<InspectedFile> {
    const { database, files, maxAttributes } = this.#options;
    const { object } = request;
    const sample = await files.sample(organizationId, request.url, SAMPLE_BYTES, signal);
    const { bytes, isWhole } = await inflate(sample);
    const foreign = foreignFile(bytes);
    if (foreign !== undefined) throw new Refusal("invalid_parameter", whyForeign(foreign));
    const csv = formatOf(bytes, request);
    const { records, names, isAll } = readRecords(bytes, isWhole, object, csv);
    const subjectType = subjectTypeOf(object);
    const definitions = await loadAttributes(database, organizationId, subjectType, maxAttributes);
    const columns = (names ?? [...new Set(records.flatMap(columnsOf))]).slice(0, MAX_COLUMNS);
    return {
      format: csv ? "csv" : "json",
      ...(csv ? { delimiter: csv.delimiter, header: csv.header } : {}),
      columns: withDistinctNames(
        object,
        columns.map((column) => describe(object, column, records, (name) => definitions.get(name)?.type)),
      ),
      rows: records.slice(0, SHOWN_ROWS).map((record) => columns.map((column) => shownText(columnOf(record, column)))),
      sampled_rows: records.length,
      is_whole: isAll,
    };
  }
}

function formatOf(bytes: Buffer, { format, delimiter, header }: InspectRequest): CsvFormat | undefined {
  if (format === "json") return undefined;
  const guessed = guessFormat(bytes.toString("utf8"));
  if (!guessed && format !== "csv") return undefined;
  const { delimiter: ofFile, header: isNamed } = guessed ?? { delimiter: ",", header: true };
  return { delimiter: delimiter ?? ofFile, header: header ?? isNamed };
}

function readRecords(
  bytes: Buffer,
  isWhole: boolean,
  object: JobObject,
  csv: CsvFormat | undefined,
): { records: Record<string, unknown>[]; names: string[] | undefined; isAll: boolean } {
  const parser = new RecordParser(SAMPLE_BYTES, { object, csv });
  const raw = parser.splitter.push(bytes);
  // The last row of a partial file is incomplete.
  const end = isWhole ? endOf(parser) : [];
  if (typeof end !== "string") raw.push(...end);
  const records: Record<string, unknown>[] = [];
  let problem = typeof end === "string" ? end : undefined;
  for (const { bytes: row } of raw.slice(0, SAMPLE_ROWS)) {
    if (!row) continue;
    const parsed = parser.parse(row);
    if ("problem" in parsed) problem ??= parsed.problem;
    else if (isObject(parsed.record)) records.push(parsed.record);
  }
  if (records.length === 0) throw new Refusal("invalid_parameter", whyNone(problem, isWhole));
  return { records, names: parser.names, isAll: isWhole && raw.length <= SAMPLE_ROWS };
}

function whyNone(problem: string | undefined, isWhole: boolean): string {
  if (problem) return `The file has no row that can be read. ${problem}`;
  if (isWhole) return "The file has no rows.";
  return `No row ends within the first ${SAMPLE_BYTES / 1024} KB of the file. A quote that is not closed can be the reason.`;
}

/** The last row, or why the file is not complete. It matters only if no row can be read; the import says it too. */
function endOf({ splitter }: RecordParser) {
  try {
    return splitter.end();
  } catch (error) {
    if (error instanceof IncompleteFile) return error.message;
    throw error;
  }
}

function describe(
  object: JobObject,
  column: string,
  records: readonly Record<string, unknown>[],
  knownTypes: KnownTypes,
): InspectedColumn {
  const values = records
    .map((record) => columnOf(record, column))
    .filter((value) => value !== undefined && value !== null);
  const { type, suggestion, knownType, conflict } = guessColumn(object, column, values, knownTypes);
  const samples = [...new Set(values.map((value) => shownText(value) ?? ""))].slice(0, SHOWN_VALUES);
  return {
    column,
    type,
    samples,
    filled: values.length,
    suggestion,
    ...(knownType ? { known_type: knownType } : {}),
    ...(conflict ? { conflict } : {}),
  };
}

/**
 * A mapping takes each name once. A column with exactly that name has it, else the first one; the others keep the names of
 * their columns. One that has no such name, `id`, is left out.
 */
function withDistinctNames(object: JobObject, columns: readonly InspectedColumn[]): InspectedColumn[] {
  const keyOf = ({ suggestion: { to, name } }: InspectedColumn) => `${to} ${name}`;
  const owners = new Map<string, string>();
  for (const inspected of columns) {
    const key = keyOf(inspected);
    if (!owners.has(key) || inspected.column === inspected.suggestion.name) owners.set(key, inspected.column);
  }
  return columns.map((inspected) => {
    const { column, suggestion } = inspected;
    if (suggestion.to === "ignore" || owners.get(keyOf(inspected)) === column) return inspected;
    const to = column === "id" ? "ignore" : object === "events" ? "property" : "attribute";
    return { ...inspected, suggestion: { ...suggestion, to, name: column } };
  });
}

function shownText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, SHOWN_LENGTH);
}

/** Decompresses the beginning of a file that is compressed with gzip. */
async function inflate(sample: { bytes: Buffer; isWhole: boolean }): Promise<{ bytes: Buffer; isWhole: boolean }> {
  if (!isGzip(sample.bytes)) return sample;
  // With this flush mode, a truncated stream returns what it could decompress.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  gunzip.end(sample.bytes);
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of gunzip) {
      pieces.push(piece as Buffer);
      size += (piece as Buffer).length;
      if (size > SAMPLE_BYTES) return { bytes: Buffer.concat(pieces), isWhole: false };
    }
  } catch {
    throw new Refusal("invalid_parameter", "The file does not decompress.");
  }
  return { bytes: Buffer.concat(pieces), isWhole: sample.isWhole };
}
