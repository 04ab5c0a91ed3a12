import { openScope, rowsOf, type Scope, type Statement } from "@muster/query";
import type { ColumnSource, ExtractColumn } from "../../../../domain/jobs/extract-columns.js";
import type { Selection } from "../../asking.js";
import { FORMULA, NUMBER } from "../../csv-formulas.js";
import type { ExtractSegments, KeyRange } from "../../extracting.js";
import { quoteIdentifier } from "../schema/json-path.js";
import { compileOptions } from "./compile-options.js";
import { conditionOf } from "./condition.js";
import { inRange } from "./extract-ranges.js";

/** The rows that an extract reads. */
export interface ExtractSource {
  organizationId: string;
  selection: Selection;
  range: KeyRange;
  segments: ExtractSegments;
}

/** Each row is one JSON text: an event as stored, or a report with segments and with the user's account. */
export function jsonLinesStatement(source: ExtractSource): Statement {
  const { target } = source.selection;
  const isEvent = target === "event";
  const scope = openScope(compileOptions(source.organizationId, source.selection));
  const rows = readRows(source, scope, { segments: !isEvent, account: target === "user" });
  const report = [
    "substring(doc, 1, length(doc) - 1)",
    `',"segment_ids":'`,
    listOf(source.segments.own, "segments"),
    ...(target === "user" ? [`',"account":'`, "coalesce(account_doc, 'null')"] : []),
    "'}'",
  ];
  const line = isEvent ? "doc" : `concat(${report.join(", ")})`;
  return { sql: `select ${line}\n${rows}`, params: scope.params.values };
}

/** Each row has the given columns. */
export function csvLinesStatement(
  source: ExtractSource,
  columns: readonly ExtractColumn[],
  formulas: boolean,
): Statement {
  const uses = (wanted: ColumnSource) => columns.some((column) => column.source === wanted);
  const scope = openScope(compileOptions(source.organizationId, source.selection));
  const rows = readRows(source, scope, { segments: uses("segments"), account: uses("account") });
  const tuples = new Map<ColumnSource, string[]>();
  for (const { source: from, key } of columns) {
    const keys = tuples.get(from) ?? [];
    if (!keys.includes(key)) keys.push(key);
    tuples.set(from, keys);
  }
  const [formula, number] = [scope.params.add("text", FORMULA), scope.params.add("text", NUMBER)];
  const isFormula = `match(pair.2, ${formula}) and not match(pair.2, ${number})`;
  const cell = formulas ? "pair.2" : `if(${isFormula}, concat('\\'', pair.2), pair.2)`;
  // One expression reads all columns of a document. One expression per column would parse the document as often.
  const inner = [...tuples].flatMap(([from, keys]) => {
    const type = `Tuple(${keys.map((key) => `${quoteIdentifier(key)} Nullable(String)`).join(", ")})`;
    const expression = tupleOf(from, () => scope.params.add("text", type));
    return expression === undefined
      ? []
      : [`arrayMap(pair -> ${cell}, tupleToNameValuePairs(${expression})) as from_${from}`];
  });
  if (uses("segments")) inner.push(`${listOf(source.segments.own, "segments")} as segment_list`);
  const outer = columns.map(({ source: from, key }) => {
    if (from === "nowhere") return "null";
    if (from === "segments") return "segment_list";
    return `from_${from}[${(tuples.get(from)?.indexOf(key) ?? 0) + 1}]`;
  });
  const sql = [
    `select ${outer.join(", ")}`,
    `from (select ${["id", ...inner].join(", ")} ${rows})`,
    "settings format_csv_null_representation = '', output_format_csv_crlf_end_of_line = 1",
  ].join("\n");
  return { sql, params: scope.params.values };
}

export function tupleOf(from: ColumnSource, type: () => string): string | undefined {
  switch (from) {
    case "own":
      return `JSONExtract(doc, ${type()})`;
    case "account":
      return `JSONExtract(ifNull(account_doc, '{}'), ${type()})`;
    case "properties":
    case "context":
      return `JSONExtract(doc, '${from}', ${type()})`;
    case "segments":
    case "nowhere":
      return undefined;
  }
}

/** `from …`: the selected rows, joined with their segments and accounts if wanted. */
export function readRows(source: ExtractSource, scope: Scope, joined: { segments: boolean; account: boolean }): string {
  const { selection, range, segments } = source;
  const columns = ["id", "doc", ...(joined.account ? ["account_id"] : [])].join(", ");
  const condition = conditionOf(selection.query, scope);
  const inside = inRange(range, scope.params);
  const found = `select ${columns} from ${rowsOf(scope.target, scope)} and ${condition} and ${inside}`;
  const lines = [`from (${found}) as found`];
  if (joined.segments && segments.own.length > 0) {
    const members = membersOf(segments.own, inRange(range, scope.params, "entity_id"), scope);
    lines.push(`any left join (${members}) as members on members.entity_id = found.id`);
  }
  if (joined.account) {
    const accounts = accountsOf(inside, segments.account, scope);
    lines.push(`any left join (${accounts}) as accounts on account_key = found.account_id`);
  }
  return lines.join("\n");
}

function membersOf(segmentIds: readonly string[], which: string, { dialect, params }: Scope): string {
  return `select entity_id, arraySort(groupArray(toString(segment_id))) as segments
    from memberships final
    where ${dialect.ownRows(params)} and ${dialect.isOneOf("segment_id", "id", segmentIds, params)} and ${which}
    group by entity_id`;
}

/** The accounts of the users in a range, with their segments. */
function accountsOf(usersInRange: string, segmentIds: readonly string[], scope: Scope): string {
  const own = scope.dialect.ownRows(scope.params);
  const ids = `(select distinct ${scope.dialect.accountKey} from users where ${own} and ${usersInRange} and account_id != '')`;
  const accounts = `(select id, doc as own_doc from accounts final where ${own} and id in ${ids})`;
  const members =
    segmentIds.length === 0
      ? ""
      : ` any left join (${membersOf(segmentIds, `entity_id in ${ids}`, scope)}) as sets on sets.entity_id = id`;
  return `select toString(id) as account_key,
    concat(substring(own_doc, 1, length(own_doc) - 1), ',"segment_ids":', ${listOf(segmentIds, "segments")}, '}') as account_doc
    from ${accounts} as own${members}`;
}

/** The JSON list of a column of segment ids. The column exists only if there are segments. */
export function listOf(segmentIds: readonly string[], column: string): string {
  if (segmentIds.length === 0) return "'[]'";
  return `if(empty(${column}), '[]', concat('["', arrayStringConcat(${column}, '","'), '"]'))`;
}
