import type { Statement } from "@muster/query";
import type { ColumnSource, ExtractColumn } from "../../../../domain/jobs/extract-columns.js";
import { FORMULA, NUMBER } from "../../csv-formulas.js";
import { jsonPointer, quoteText } from "../layout/quoting.js";
import { ACCOUNT_DOC, type ExtractSource, readRows, SEGMENT_LIST } from "./extract-rows.js";

/**
 * Writes the same lines as `copyCsvLines`. All values of a row are in one list, which takes twice as long for twenty columns.
 * A statement with a value of its own for each of 2,000 columns is not planned within a minute.
 */
export function copyWideCsvLines(
  source: ExtractSource,
  columns: readonly ExtractColumn[],
  formulas: boolean,
  path: string,
): Statement {
  const uses = (wanted: ColumnSource) => columns.some((column) => column.source === wanted);
  const joined = { segments: uses("segments"), account: uses("account") && source.selection.target === "user" };
  const rows = readRows(source, joined);
  const own: string[] = [];
  const account: string[] = [];
  const place = (list: string[], pointer: string) =>
    `${list === own ? "own_values" : "account_values"}[${list.push(pointer)}]`;
  const cells = columns.map(({ source: from, key }): string => {
    switch (from) {
      case "own":
        return place(own, jsonPointer(key));
      case "properties":
      case "context":
        return place(own, `/${from}${jsonPointer(key)}`);
      case "account":
        return joined.account ? place(account, jsonPointer(key)) : "null";
      case "segments":
        return "segment_list";
      default:
        return "null";
    }
  });
  const values = [
    `${valuesOf("found.doc", own, formulas)} as own_values`,
    ...(joined.account ? [`${valuesOf(ACCOUNT_DOC, account, formulas)} as account_values`] : []),
    ...(joined.segments ? [`${SEGMENT_LIST} as segment_list`] : []),
  ].join(", ");
  const line = `encode(concat(concat_ws(',', ${cells.map(csvCell).join(", ")}), chr(13), chr(10)))`;
  const sql = `copy (${rows.with} select ${line} from (select ${values} from found ${rows.joins}))
    to ${quoteText(path)} (format blob)`;
  return { sql, params: rows.params };
}

function csvCell(sql: string): string {
  return sql === "null" ? "''" : `coalesce('"' || replace(${sql}, '"', '""') || '"', '')`;
}

/** The values at these places of a document. */
function valuesOf(doc: string, pointers: readonly string[], formulas: boolean): string {
  const values = `json_extract_string(${doc}, [${pointers.map(quoteText).join(", ")}]::varchar[])`;
  const isFormula = `regexp_matches(v, ${quoteText(FORMULA)}) and not regexp_matches(v, ${quoteText(NUMBER)})`;
  return formulas ? values : `list_transform(${values}, lambda v: case when ${isFormula} then '''' || v else v end)`;
}
