import { compileQuery, openScope, rowsOf, type Statement } from "@muster/query";
import type { ColumnSource, ExtractColumn } from "../../../domain/jobs/extract-columns.js";
import type { Selection } from "../asking.js";
import { FORMULA, NUMBER } from "../csv-formulas.js";
import type { Extracting, ExtractSegments, KeyRange, RowKey } from "../extracting.js";
import type { Engine } from "./engine/engine.js";
import { asUnavailable } from "./engine/engine-errors.js";
import type { OrganizationFile } from "./engine/organization-file.js";
import type { OrganizationFiles } from "./engine/organization-files.js";
import { jsonPointer, quoteText } from "./layout/quoting.js";

// One statement reads one range. The segments and accounts of its rows are collected in memory first.
const ROWS_PER_RANGE = 100_000;

/** Rows are extracted in the order of their ids, which start with their creation time. */
export function duckdbExtracting(engine: Engine, files: OrganizationFiles): Extracting {
  return {
    lastKey: (organizationId, target) =>
      files.use(organizationId, async ({ dialect }) => {
        const sql = `select max(id) as id from ${dialect.table(target)}`;
        const [row] = await engine.rows<{ id: string | null }>({ sql, params: {} });
        return row?.id ? { id: row.id } : undefined;
      }),

    nextRange: (organizationId, target, after, until) =>
      files.use(organizationId, async ({ dialect }) => {
        if (after && idOf(after) === idOf(until)) return undefined;
        const [row] = await engine.rows<{ id: string }>({
          sql: `select id from ${dialect.table(target)} where ${IN_RANGE} order by id limit 1 offset ${ROWS_PER_RANGE - 1}`,
          params: rangeParams({ after, until }),
        });
        return { after, until: row ? { id: row.id } : until };
      }),

    jsonLines: (organizationId, selection, range, segments) =>
      stream(organizationId, "\n", (file) => jsonStatement(file, selection, range, segments)),

    csvLines: (organizationId, selection, range, segments, columns, { formulas } = { formulas: false }) =>
      stream(organizationId, "\r\n", (file) => csvStatement(file, selection, range, segments, columns, formulas)),
  };

  async function* stream(
    organizationId: string,
    lineEnd: string,
    build: (file: OrganizationFile) => Statement,
  ): AsyncGenerator<Uint8Array> {
    const { file, giveBack } = await files.take(organizationId);
    try {
      for await (const lines of engine.texts(build(file))) yield Buffer.from(`${lines.join(lineEnd)}${lineEnd}`);
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      giveBack();
    }
  }
}

const IN_RANGE = "id > $after and id <= $until";

function rangeParams({ after, until }: KeyRange): Statement["params"] {
  return {
    after: { type: "text", value: after ? idOf(after) : "" },
    until: { type: "text", value: idOf(until) },
  };
}

function idOf(key: RowKey): string {
  return String(key.id);
}

function jsonStatement(
  file: OrganizationFile,
  selection: Selection,
  range: KeyRange,
  segments: ExtractSegments,
): Statement {
  const isUser = selection.target === "user";
  const rows = readRows(file, selection, range, segments, { segments: true, account: isUser });
  if (selection.target === "event") return { sql: `${rows.with} select doc from found`, params: rows.params };
  const account = isUser ? `, ',"account":', coalesce(${ACCOUNT_DOC}, 'null')` : "";
  const line = `concat(left(found.doc, -1), ',"segment_ids":', ${SEGMENT_LIST}${account}, '}')`;
  return { sql: `${rows.with} select ${line} from found ${rows.joins}`, params: rows.params };
}

const SEGMENT_LIST = `coalesce(own.segments, '[]')`;
// `concat` ignores nulls, so a user without an account must be recognised before.
const ACCOUNT_DOC = `case when account.doc is not null then concat(left(account.doc, -1), ',"segment_ids":', coalesce(account.segments, '[]'), '}') end`;

function csvStatement(
  file: OrganizationFile,
  selection: Selection,
  range: KeyRange,
  segments: ExtractSegments,
  columns: readonly ExtractColumn[],
  formulas: boolean,
): Statement {
  const uses = (wanted: ColumnSource) => columns.some(({ source }) => source === wanted);
  const joined = { segments: uses("segments"), account: uses("account") && selection.target === "user" };
  const rows = readRows(file, selection, range, segments, joined);
  const own: string[] = [];
  const account: string[] = [];
  // One expression reads all columns of a document. One expression per column would parse the document as often.
  const place = (list: string[], pointer: string) =>
    `${list === own ? "own_values" : "account_values"}[${list.push(pointer)}]`;
  const cells = columns.map(({ source, key }): string => {
    switch (source) {
      case "own":
        return place(own, jsonPointer(key));
      case "properties":
      case "context":
        return place(own, `/${source}${jsonPointer(key)}`);
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
  const line = `concat_ws(',', ${cells.map(csvCell).join(", ")})`;
  return { sql: `${rows.with} select ${line} from (select ${values} from found ${rows.joins})`, params: rows.params };
}

/** A value as a CSV cell (RFC 4180). An unset value is an empty cell. */
function csvCell(sql: string): string {
  return sql === "null" ? "''" : `coalesce('"' || replace(${sql}, '"', '""') || '"', '')`;
}

/** The values at these places of a document. One expression for each value would make the statement too large. */
function valuesOf(doc: string, pointers: readonly string[], formulas: boolean): string {
  const values = `json_extract_string(${doc}, [${pointers.map(quoteText).join(", ")}]::varchar[])`;
  const isFormula = `regexp_matches(v, ${quoteText(FORMULA)}) and not regexp_matches(v, ${quoteText(NUMBER)})`;
  return formulas ? values : `list_transform(${values}, lambda v: case when ${isFormula} then '''' || v else v end)`;
}

/** The selected rows of a range, as `found`, and the joins with their segments and accounts. */
function readRows(
  file: OrganizationFile,
  selection: Selection,
  range: KeyRange,
  segments: ExtractSegments,
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
