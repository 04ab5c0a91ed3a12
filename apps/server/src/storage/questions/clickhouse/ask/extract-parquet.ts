import { type FieldType, openScope, type Statement } from "@muster/query";
import type { ColumnSource, TypedColumn } from "../../../../domain/jobs/extract-columns.js";
import { quoteIdentifier } from "../schema/json-path.js";
import { compileOptions } from "./compile-options.js";
import { type ExtractSource, listOf, readRows, tupleOf } from "./extract-rows.js";

/** The types of values in documents. Dates are texts there. */
const JSON_TYPES: Readonly<Record<FieldType, string>> = {
  string: "Nullable(String)",
  numeric: "Nullable(Float64)",
  date: "Nullable(String)",
  boolean: "Nullable(Bool)",
  array: "Array(String)",
  json: "Nullable(String)",
};

const SETTINGS =
  "settings output_format_parquet_string_as_string = 1, output_format_parquet_compression_method = 'zstd'";

/** Each row has the given columns, with their types. Without `isFilled` there are no rows. */
export function parquetStatement(source: ExtractSource, columns: readonly TypedColumn[], isFilled: boolean): Statement {
  const uses = (wanted: ColumnSource) => columns.some((column) => column.source === wanted);
  const scope = openScope(compileOptions(source.organizationId, source.selection));
  const rows = readRows(source, scope, { segments: uses("segments"), account: uses("account") });
  const members = new Map<ColumnSource, Map<string, FieldType>>();
  for (const { source: from, key, type } of columns) {
    const known = members.get(from) ?? new Map<string, FieldType>();
    members.set(from, known);
    if (!known.has(key)) known.set(key, type);
  }
  // One expression reads all columns of a document. One expression per column would parse the document as often.
  const inner = [...members].flatMap(([from, types]) => {
    const list = [...types].map(([key, type]) => `${quoteIdentifier(key)} ${JSON_TYPES[type]}`);
    const expression = tupleOf(from, () => scope.params.add("text", `Tuple(${list.join(", ")})`));
    return expression === undefined ? [] : [`${expression} as from_${from}`];
  });
  if (uses("segments"))
    inner.push(`JSONExtract(${listOf(source.segments.own, "segments")}, 'Array(String)') as segment_list`);
  const outer = columns.map(({ header, source: from, key, type }) => {
    const place = [...(members.get(from)?.keys() ?? [])].indexOf(key) + 1;
    return `${columnValue(from, `tupleElement(from_${from}, ${place})`, type)} as ${quoteIdentifier(header)}`;
  });
  const sql = [
    `select ${outer.join(", ")}`,
    `from (select ${["id", ...inner].join(", ")} ${rows})`,
    ...(isFilled ? [] : ["limit 0"]),
    SETTINGS,
  ].join("\n");
  return { sql, params: scope.params.values };
}

function columnValue(from: ColumnSource, element: string, type: FieldType): string {
  if (from === "nowhere") return "cast(null, 'Nullable(String)')";
  if (from === "segments") return "segment_list";
  return type === "date" ? `parseDateTime64BestEffortOrNull(${element}, 3, 'UTC')` : element;
}

/** How many rows there are. */
export function countRowsStatement(source: ExtractSource): Statement {
  const scope = openScope(compileOptions(source.organizationId, source.selection));
  const rows = readRows(source, scope, { segments: false, account: false });
  return { sql: `select count() as count ${rows}`, params: scope.params.values };
}
