import { type Query, type SearchOptions, type Statement, streamStatement } from "@muster/query";
import type { ColumnSource, ExtractColumn } from "../../domain/extract-columns.js";
import type { QueryParams } from "../../engines/clickhouse.js";
import { inRange, type KeyRange } from "./extract-ranges.js";

/** Whom an extract is about, and what stands beside them. */
export interface ExtractSource extends SearchOptions {
  query: Query;
  /** Segments whose members are told, of the entity itself and of the accounts of users. */
  segments: { own: readonly string[]; account: readonly string[] };
}

export interface ExtractStatement {
  sql: string;
  params: QueryParams;
  format: "TSVRaw" | "CSV";
}

/** The rows of a range as lines of JSON: reports with their segments and, of users, their account; events as stored. */
export function jsonLines(source: ExtractSource, range: KeyRange): ExtractStatement {
  const isEvent = source.entity === "event";
  const parts = readRows(source, range, { segments: !isEvent, account: source.entity === "user" });
  const report = [
    "substring(doc, 1, length(doc) - 1)",
    `',"segment_ids":'`,
    listOf(source.segments.own, "segments"),
    ...(source.entity === "user" ? [`',"account":'`, "coalesce(account_doc, 'null')"] : []),
    "'}'",
  ];
  // A document holds no tab and no newline, so what is printed raw is one line.
  const line = isEvent ? "doc" : `concat(${report.join(", ")})`;
  return { sql: `select ${line}\n${parts.sql}`, params: parts.params, format: "TSVRaw" };
}

/** The rows of a range as lines of CSV (RFC 4180). */
export function csvLines(source: ExtractSource, range: KeyRange, columns: readonly ExtractColumn[]): ExtractStatement {
  const uses = (wanted: ColumnSource) => columns.some((column) => column.source === wanted);
  const parts = readRows(source, range, { segments: uses("segments"), account: uses("account") });
  const params: QueryParams = { ...parts.params };
  const tuples = new Map<ColumnSource, string[]>();
  for (const { source: from, key } of columns) {
    const keys = tuples.get(from) ?? [];
    if (!keys.includes(key)) keys.push(key);
    tuples.set(from, keys);
  }
  // One look at each document takes all its columns out; asking for them one by one would parse it as often.
  const inner = [...tuples].flatMap(([from, keys]) => {
    const expression = tupleOf(from, source);
    if (expression === undefined) return [];
    params[`type_${from}`] = `Tuple(${keys.map((key) => `${quoteName(key)} Nullable(String)`).join(", ")})`;
    return [`${expression} as from_${from}`];
  });
  if (uses("segments")) inner.push(`${listOf(source.segments.own, "segments")} as segment_list`);
  const outer = columns.map(({ source: from, key }) => {
    if (from === "nowhere") return "null";
    if (from === "segments") return "segment_list";
    return `tupleElement(from_${from}, ${(tuples.get(from)?.indexOf(key) ?? 0) + 1})`;
  });
  const sql = [
    `select ${outer.join(", ")}`,
    `from (select ${["id", ...inner].join(", ")} ${parts.sql})`,
    "settings format_csv_null_representation = '', output_format_csv_crlf_end_of_line = 1",
  ].join("\n");
  return { sql, params, format: "CSV" };
}

function tupleOf(from: ColumnSource, { entity }: ExtractSource): string | undefined {
  switch (from) {
    case "own":
      return "JSONExtract(doc, {type_own:String})";
    case "account":
      return entity === "user" ? "JSONExtract(ifNull(account_doc, '{}'), {type_account:String})" : undefined;
    case "properties":
    case "context":
      return `JSONExtract(doc, '${from}', {type_${from}:String})`;
    case "segments":
    case "nowhere":
      return undefined;
  }
}

/** `from …`: the rows that fit, and beside them what is asked for. */
function readRows(source: ExtractSource, range: KeyRange, beside: { segments: boolean; account: boolean }): Statement {
  const { query, segments, ...options } = source;
  const found = streamStatement(query, { ...options, ...(beside.account ? { columns: ["account_id"] } : {}) });
  const { sql, params } = inRange(range);
  const lines = [`from (${found.sql} and ${sql}) as found`];
  const all: QueryParams = { ...found.params, ...params, org: source.org };
  if (beside.segments && segments.own.length > 0) {
    all.own_segments = segments.own;
    const members = membersOf("{own_segments:Array(FixedString(24))}", inRange(range, "entity_id").sql);
    lines.push(`any left join (${members}) as members on members.entity_id = found.id`);
  }
  if (beside.account) {
    all.account_segments = segments.account;
    lines.push(`any left join (${accountsOf(sql, segments.account)}) as accounts on account_key = found.account_id`);
  }
  return { sql: lines.join("\n"), params: all as Statement["params"] };
}

function membersOf(segments: string, which: string): string {
  return `select entity_id, groupArray(toString(segment_id)) as segments
    from memberships final
    where org = {org:FixedString(24)} and segment_id in ${segments} and ${which}
    group by entity_id`;
}

/** The accounts of the users in a range, with their segments. */
function accountsOf(usersInRange: string, segments: readonly string[]): string {
  const ids = `(select distinct toFixedString(account_id, 24) from users
    where org = {org:FixedString(24)} and ${usersInRange} and account_id != '')`;
  const accounts = `(select id, doc as own_doc from accounts final where org = {org:FixedString(24)} and id in ${ids})`;
  const members =
    segments.length === 0
      ? ""
      : ` any left join (${membersOf("{account_segments:Array(FixedString(24))}", `entity_id in ${ids}`)}) as sets on sets.entity_id = id`;
  const list = listOf(segments, "segments");
  return `select toString(id) as account_key,
    concat(substring(own_doc, 1, length(own_doc) - 1), ',"segment_ids":', ${list}, '}') as account_doc
    from ${accounts} as own${members}`;
}

/** The JSON list of a column of ids, which is there only when there are segments at all. */
function listOf(segments: readonly string[], column: string): string {
  if (segments.length === 0) return "'[]'";
  return `if(empty(${column}), '[]', concat('["', arrayStringConcat(${column}, '","'), '"]'))`;
}

/** A name in a type: it ends at a backtick and a backslash escapes. */
function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}
