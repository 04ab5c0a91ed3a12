import { compileQuery, type FieldType, openScope, rowsOf, type Statement } from "@muster/query";
import type { ColumnSource, ExtractColumn, TypedColumn } from "../../../../domain/jobs/extract-columns.js";
import type { Selection } from "../../asking.js";
import { FORMULA, NUMBER } from "../../csv-formulas.js";
import type { ExtractSegments, KeyRange, RowKey } from "../../extracting.js";
import type { OrganizationFile } from "../engine/organization-file.js";
import { jsonPointer, quoteText } from "../layout/quoting.js";

/** The rows that an extract reads. */
export interface ExtractSource {
  file: OrganizationFile;
  selection: Selection;
  range: KeyRange;
  segments: ExtractSegments;
}

export const IN_RANGE = "id > $after and id <= $until";

export function rangeParams({ after, until }: KeyRange): Statement["params"] {
  return {
    after: { type: "text", value: after ? idOf(after) : "" },
    until: { type: "text", value: idOf(until) },
  };
}

export function idOf(key: RowKey): string {
  return String(key.id);
}

/** Writes each row as a line of JSON: an event as stored, or a report with segments and with the user's account. */
export function copyJsonLines(source: ExtractSource, path: string): Statement {
  const { target } = source.selection;
  const isUser = target === "user";
  const rows = readRows(source, { segments: target !== "event", account: isUser });
  const account = isUser ? [`',"account":'`, `coalesce(${ACCOUNT_DOC}, 'null')`] : [];
  const added = [`',"segment_ids":'`, SEGMENT_LIST, ...account, "'}'", "chr(10)"];
  const line =
    target === "event"
      ? "encode(concat(found.doc, chr(10)))"
      : `${bytesWithoutLast("found.doc")} || encode(concat(${added.join(", ")}))`;
  // The format writes the bytes of each row as they are. The format CSV would look for characters to quote.
  const sql = `copy (${rows.with} select ${line} from found ${rows.joins}) to ${quoteText(path)} (format blob)`;
  return { sql, params: rows.params };
}

/** The bytes of a text without the last byte. With a text, the engine would count characters, which takes five times as long. */
function bytesWithoutLast(text: string): string {
  return `encode(${text})[1:octet_length(encode(${text})) - 1]`;
}

/** The text without its last character. `left(text, -1)` gives the same result and is slower. */
function withoutLast(text: string): string {
  return `substring(${text}, 1, length(${text}) - 1)`;
}

export const SEGMENT_LIST = `coalesce(own.segments, '[]')`;
// `concat` ignores nulls, so a user without an account must be recognised before.
export const ACCOUNT_DOC = `case when account.doc is not null then concat(${withoutLast("account.doc")}, ',"segment_ids":', coalesce(account.segments, '[]'), '}') end`;

/** Writes each row as a line of CSV (RFC 4180) with the given columns. An unset value is an empty cell. */
export function copyCsvLines(
  source: ExtractSource,
  columns: readonly ExtractColumn[],
  formulas: boolean,
  path: string,
): Statement {
  const { from, params, places } = readValues(
    source,
    columns.map((column) => ({ ...column, type: "string" })),
  );
  const cells = columns.map((column, index) => `${csvCell(column, places[index]!, formulas)} as c${index}`);
  const sql = `copy (${from(cells.join(", "))}) to ${quoteText(path)}
    (format csv, header false, force_quote *, new_line '\\r\\n')`;
  return { sql, params };
}

// The engine writes numbers like these with a plus sign or one zero more than the document has.
const EXPONENT = "^-?[0-9]+([.][0-9]+)?e[-+][0-9]+$";

/** The text of a cell. The comparisons at the start spare most texts and numbers the regular expressions. */
function csvCell({ source, key }: ExtractColumn, place: string, formulas: boolean): string {
  if (source === "nowhere" || source === "segments") return place;
  const doc = source === "account" ? "account_doc" : "doc";
  const pointer = `${source === "properties" || source === "context" ? `/${source}` : ""}${jsonPointer(key)}`;
  const cases = [
    `when ${place} >= 'A' or (${place} >= '0' and ${place} < ':' and not contains(${place}, 'e')) then ${place}`,
    `when regexp_matches(${place}, ${quoteText(EXPONENT)}) then json_extract_string(${doc}, ${quoteText(pointer)})`,
  ];
  if (!formulas) {
    const isFormula = `regexp_matches(${place}, ${quoteText(FORMULA)}) and not regexp_matches(${place}, ${quoteText(NUMBER)})`;
    cases.push(`when ${isFormula} then '''' || ${place}`);
  }
  return `case ${cases.join(" ")} else ${place} end`;
}

/** Writes the rows to a Parquet file. Values that do not have the type of their column are null. */
export function copyParquet(source: ExtractSource, columns: readonly TypedColumn[], path: string): Statement {
  const { from, params, places } = readValues(source, columns);
  const values = columns.map(({ header }, index) => `${places[index]} as ${quoteName(header)}`);
  // The file is read once more, when the files of all ranges are joined.
  const sql = `copy (${from(values.join(", "))}) to ${quoteText(path)} (format parquet, compression snappy)`;
  return { sql, params };
}

/** Writes the rows of Parquet files with the same columns to one file. */
export function copyParquetFiles(parts: readonly string[], path: string): Statement {
  const sql = `copy (select * from read_parquet([${parts.map(quoteText).join(", ")}]))
    to ${quoteText(path)} (format parquet, compression zstd)`;
  return { sql, params: {} };
}

function quoteName(name: string): string {
  return `"${name.replaceAll("\0", "").replaceAll('"', '""')}"`;
}

/** The types of values in documents, as `from_json` names them. */
const JSON_TYPES: Readonly<Record<FieldType, unknown>> = {
  string: "VARCHAR",
  numeric: "DOUBLE",
  date: "TIMESTAMP",
  boolean: "BOOLEAN",
  array: ["VARCHAR"],
  json: "VARCHAR",
};

/**
 * The values of columns: `from` builds the query, and `places` says where each value is. One expression reads all values
 * of a document. One expression for each value would parse the document once for each value.
 */
function readValues(
  source: ExtractSource,
  columns: readonly TypedColumn[],
): { from(select: string): string; places: string[]; params: Statement["params"] } {
  const uses = (wanted: ColumnSource) => columns.some((column) => column.source === wanted);
  const joined = { segments: uses("segments"), account: uses("account") && source.selection.target === "user" };
  const rows = readRows(source, joined);
  const types = new Map<ColumnSource, Map<string, unknown>>();
  const place = (from: ColumnSource, key: string, type: FieldType): string => {
    const known = types.get(from) ?? new Map<string, unknown>();
    types.set(from, known);
    if (!known.has(key)) known.set(key, JSON_TYPES[type]);
    // By position, because the names of struct members are case-insensitive.
    return `struct_extract_at(from_${from}, ${[...known.keys()].indexOf(key) + 1})`;
  };
  const places = columns.map(({ source: from, key, type }): string => {
    switch (from) {
      case "own":
      case "properties":
      case "context":
        return place(from, key, type);
      case "account":
        return joined.account ? place(from, key, type) : "null::varchar";
      case "segments":
        return type === "array" ? "from_json(segment_list, '[\"VARCHAR\"]')" : "segment_list";
      default:
        return "null::varchar";
    }
  });
  const inner = [
    "found.doc",
    ...(joined.account ? [`${ACCOUNT_DOC} as account_doc`] : []),
    ...(joined.segments ? [`${SEGMENT_LIST} as segment_list`] : []),
  ];
  const structs = [...types].map(([from, members]) => {
    const struct = Object.fromEntries(members);
    const isPart = from === "properties" || from === "context";
    const spec = quoteText(JSON.stringify(isPart ? { [from]: struct } : struct));
    const json = `from_json(${from === "account" ? "account_doc" : "doc"}, ${spec})`;
    return `${isPart ? `struct_extract_at(${json}, 1)` : json} as from_${from}`;
  });
  return {
    from: (select) => `${rows.with} select ${select} from (
      select ${["*", ...structs].join(", ")} from (select ${inner.join(", ")} from found ${rows.joins})
    )`,
    places,
    params: rows.params,
  };
}

/** The selected rows of a range, as `found`, and the joins with their segments and accounts. */
export function readRows(
  { file, selection, range, segments }: ExtractSource,
  joined: { segments: boolean; account: boolean },
): { with: string; joins: string; params: Statement["params"] } {
  const { databaseName } = file;
  const scope = openScope({ ...selection, dialect: file.dialect });
  const condition = compileQuery(selection.query, scope);
  const accountKey = joined.account ? ", account_key" : "";
  const found = `select id, key, doc${accountKey} from ${rowsOf(selection.target, scope)} and ${IN_RANGE} and ${condition}`;
  const own = numbersOf(file, segments.own);
  const ofAccounts = numbersOf(file, segments.account);
  const lists = (
    numbers: string,
    among: string,
  ) => `select entity_key, concat('["', string_agg(s.id, '","' order by s.id), '"]') as segments
    from ${databaseName}.memberships join ${databaseName}.segments s on s.number = segment
    where segment in (${numbers}) and entity_key in (${among}) group by entity_key`;
  const joins = [
    ...(joined.segments
      ? [`left join (${lists(own, "select key from found")}) own on own.entity_key = found.key`]
      : []),
    ...(joined.account
      ? [
          `left join (
             select a.key, a.doc, sets.segments from ${databaseName}.accounts a
             left join (${lists(ofAccounts, "select account_key from found")}) sets on sets.entity_key = a.key
             where a.key in (select account_key from found)
           ) account on account.key = found.account_key`,
        ]
      : []),
  ];
  return {
    with: `with found as materialized (${found})`,
    joins: joins.join("\n"),
    params: { ...scope.params.values, ...rangeParams(range) },
  };
}

/** The numbers that the file has given to segments, as an SQL list. */
function numbersOf(file: OrganizationFile, ids: readonly string[]): string {
  const numbers = ids.flatMap((id) => file.segmentNumber(id) ?? []);
  return numbers.length === 0 ? "-1" : numbers.join(", ");
}
