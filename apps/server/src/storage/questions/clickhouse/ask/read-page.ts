import {
  type CompileOptions,
  compileSort,
  openScope,
  type Page,
  requireReachable,
  rowsOf,
  type Statement,
  type Target,
} from "@muster/query";
import type { FoundRow, FoundSubject, Selection } from "../../asking.js";
import type { QuestionOptions, Statements } from "../client/statements.js";
import { compileOptions } from "./compile-options.js";
import { conditionOf } from "./condition.js";
import { readSegmentIds } from "./read-memberships.js";

interface PageRow {
  id: string;
  doc: string;
  cursor: string;
  account_id: string;
}

/** The sorting keys of the tables, by which a row is found without reading others. */
const ROW_KEYS: Readonly<Record<Target, string>> = {
  user: "id",
  account: "id",
  event: "event, created_at, id",
};

/** Reads a page of rows with their segments and the accounts of users, with three statements, the last two in parallel. */
export async function askPage(
  statements: Statements,
  organizationId: string,
  selection: Selection,
  page: Page,
  options: QuestionOptions,
): Promise<FoundRow[]> {
  const { target } = selection;
  const statement = pageStatement(selection.query, page, compileOptions(organizationId, selection));
  const rows = await statements.ask<PageRow>(statement, options);
  if (target === "event" || rows.length === 0) return rows.map((row) => foundRow(row, [], undefined));

  const accountIds = [...new Set(rows.flatMap(({ account_id }) => (account_id === "" ? [] : [account_id])))];
  const ids = [...rows.map(({ id }) => id), ...accountIds];
  const [segmentIds, accounts] = await Promise.all([
    readSegmentIds(statements, organizationId, ids, options),
    readAccounts(statements, organizationId, accountIds, options),
  ]);
  const accountOf = (id: string): FoundSubject | undefined => {
    const report = accounts.get(id);
    return report && { report, segmentIds: segmentIds.get(id) ?? [] };
  };
  return rows.map((row) => foundRow(row, segmentIds.get(row.id) ?? [], accountOf(row.account_id)));
}

/**
 * One page of documents. The keys of the page are found first, then its documents are read, because reading documents of
 * rows that are not on the page is expensive: 29 ms instead of 36 ms for 1 M users with documents of 300 bytes, and the
 * difference grows with the size of the documents.
 */
function pageStatement(query: Selection["query"], page: Page, options: CompileOptions): Statement {
  requireReachable(page);
  const { target } = options;
  const scope = openScope(options);
  const sort = compileSort(page.sort, scope);
  const condition = conditionOf(query, scope);
  const after = page.searchAfter === undefined ? "" : ` and ${sort.after(page.searchAfter, "search_after")}`;
  const table = rowsOf(target, scope, sort.join);
  const key = ROW_KEYS[target];
  const limit = scope.params.add("integer", page.limit);
  const offset = scope.params.add("integer", page.searchAfter === undefined ? (page.offset ?? 0) : 0);
  const sql = [
    `select id, doc, ${sort.cursor} as cursor, ${target === "user" ? "account_id" : "'' as account_id"}`,
    `from ${table}`,
    `and (${key}) in (select ${key} from ${table} and ${condition}${after} order by ${sort.orderBy} limit ${limit} offset ${offset})`,
    `order by ${sort.orderBy}`,
  ].join("\n");
  return { sql, params: scope.params.values };
}

async function readAccounts(
  statements: Statements,
  organizationId: string,
  ids: readonly string[],
  options: QuestionOptions,
): Promise<Map<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map();
  const rows = await statements.rows<{ id: string; doc: string }>(
    `select id, doc
     from accounts final
     where org = {org:FixedString(24)} and id in {ids:Array(FixedString(24))}`,
    { org: organizationId, ids },
    options,
  );
  return new Map(rows.map(({ id, doc }) => [id, JSON.parse(doc) as Record<string, unknown>]));
}

function foundRow({ id, doc, cursor }: PageRow, segmentIds: string[], account: FoundSubject | undefined): FoundRow {
  return {
    id,
    report: JSON.parse(doc) as FoundRow["report"],
    bytes: doc.length,
    segmentIds,
    account,
    cursor: JSON.parse(cursor) as unknown,
  };
}
