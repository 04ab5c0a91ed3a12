import {
  and,
  compileAggregations,
  compileQuery,
  compileSort,
  explainStatement,
  openScope,
  type Page,
  requireReachable,
  rowsOf,
  TRUE,
} from "@muster/query";
import { askAggregations } from "../ask-aggregations.js";
import type { Asking, AskOptions, FoundRow, Selection } from "../asking.js";
import { segmentIdsOf } from "./ask/read-memberships.js";
import type { Row } from "./engine/engine.js";
import type { OrganizationFile } from "./engine/organization-file.js";
import type { OrganizationFiles } from "./engine/organization-files.js";
import { amongTimes, nearTimes, ofAllTimes, type WantedTimes } from "./times/near-times.js";

interface SubjectRow extends Row {
  id: string;
  key: bigint;
  doc: string;
  account_key: bigint | null;
}

interface PageRow extends SubjectRow {
  row_cursor: string;
}

export function duckdbAsking(files: OrganizationFiles): Asking {
  return {
    page: (organizationId, selection, page, options) =>
      files.use(organizationId, (file) => readPage(file, selection, page, options)),

    count: (organizationId, selection, options) =>
      files.use(organizationId, async (file) => {
        const scope = openScope({ ...selection, dialect: file.dialect });
        const { target, query } = selection;
        const narrowed = target === "event" ? await ofAllTimes(file, query, options) : TRUE;
        const condition = and([compileQuery(query, scope), narrowed]);
        const sql = `select count(*) as count from ${rowsOf(selection.target, scope)} and ${condition}`;
        const [row] = await file.rows<{ count: bigint }>({ sql, params: scope.params.values }, options);
        return Number(row?.count ?? 0);
      }),

    aggregate: (organizationId, selection, aggregations, options) =>
      files.use(organizationId, async (file) => {
        const compiled = compileAggregations(selection.query, aggregations, { ...selection, dialect: file.dialect });
        return askAggregations(compiled, options ?? {}, (statement, asking) => file.rows(statement, asking));
      }),

    explain: (organizationId, selection, id) =>
      files.use(organizationId, async (file) => {
        const statement = explainStatement(selection.query, id, { ...selection, dialect: file.dialect });
        const [[row], subject] = await Promise.all([file.rows(statement), readSubject(file, selection.target, id)]);
        return row && subject ? statement.read(row, subject) : undefined;
      }),

    countAttributes: (organizationId, subjectType) =>
      files.use(organizationId, async (file) => {
        const linked = subjectType === "user" ? [{ key: "account_id", name: "account_id" }] : [];
        const fields = [...linked, ...file.layouts[subjectType].fields];
        const counts = fields.map(({ name }) => `, count(${name}) as ${name}`).join("");
        const [row] = await file.rows<Record<string, bigint>>({
          sql: `select count(*) as total${counts} from ${file.databaseName}.${subjectType}s`,
          params: {},
        });
        return {
          total: Number(row?.total ?? 0),
          counts: new Map(fields.map(({ key, name }) => [key, Number(row?.[name] ?? 0)])),
        };
      }),
  };
}

/** The first look for a page reads so many times more than the page has rows, because a query may leave some events out. */
const SPARE_TIMES = 14;

/** A page of the events of some users or accounts is read from the times of their events, as far as these are known. */
async function readPage(
  file: OrganizationFile,
  selection: Selection,
  page: Page,
  options?: AskOptions,
): Promise<FoundRow[]> {
  requireReachable(page);
  const wanted = timeOrder(selection, page);
  const near = wanted && (await nearTimes(file, selection.query, wanted, options));
  if (near) {
    const first = near.times.slice(0, (page.offset ?? 0) + page.limit + SPARE_TIMES);
    const rows = await readRows(file, selection, page, amongTimes(first), options);
    const isAll = near.areAll && first.length === near.times.length;
    if (isAll || rows.length === page.limit) return rows;
    if (near.areAll) return readRows(file, selection, page, amongTimes(near.times), options);
  }
  return readRows(file, selection, page, TRUE, options);
}

/** Undefined when the rows of a page are not of the first times. */
function timeOrder(
  { target }: Selection,
  { sort, searchAfter }: Page,
): Pick<WantedTimes, "order" | "from"> | undefined {
  const [first, ...others] = sort;
  if (target !== "event" || others.length > 0 || first?.field.key !== "created_at") return undefined;
  if (first.field.target !== "event") return undefined;
  const order = first.descending ? "newest" : "oldest";
  if (searchAfter === undefined) return { order };
  const [from] = Array.isArray(searchAfter) ? (searchAfter as unknown[]) : [];
  return Number.isSafeInteger(from) ? { order, from: from as number } : undefined;
}

async function readRows(
  file: OrganizationFile,
  selection: Selection,
  page: Page,
  narrowed: string,
  options?: AskOptions,
): Promise<FoundRow[]> {
  const scope = openScope({ ...selection, dialect: file.dialect });
  const { params } = scope;
  const sort = compileSort(page.sort, scope);
  const condition = and([compileQuery(selection.query, scope), narrowed]);
  const after = page.searchAfter === undefined ? "" : ` and ${sort.after(page.searchAfter, "search_after")}`;
  const offset = page.searchAfter === undefined ? (page.offset ?? 0) : 0;
  const sql = [
    `select id, key, doc, ${accountKeyOf(selection.target)} as account_key, ${sort.cursor} as row_cursor`,
    `from ${rowsOf(selection.target, scope, sort.join)} and ${condition}${after}`,
    `order by ${sort.orderBy}`,
    `limit ${params.add("integer", page.limit)} offset ${params.add("integer", offset)}`,
  ].join("\n");
  const rows = await file.rows<PageRow>({ sql, params: params.values }, options);
  const found = await addSegmentsAndAccounts(file, selection.target, rows, options);
  return rows.map((row, index) => ({
    id: row.id,
    cursor: JSON.parse(row.row_cursor) as unknown,
    ...(found[index] ?? { report: {}, bytes: 0, segmentIds: [], account: undefined }),
  }));
}

/** Reads one user or account with its segments and account. */
async function readSubject(file: OrganizationFile, target: Selection["target"], id: string) {
  const params = { id: { type: "id", value: id } } as const;
  const columns = `id, key, doc, ${accountKeyOf(target)} as account_key`;
  const rows = await file.rows<SubjectRow>({
    sql: `select ${columns} from ${file.dialect.table(target)} where id = $id`,
    params,
  });
  const [subject] = await addSegmentsAndAccounts(file, target, rows);
  return subject;
}

/** Returns the reports of rows with their segments and, for users, the account with its segments. */
async function addSegmentsAndAccounts(
  file: OrganizationFile,
  target: Selection["target"],
  rows: readonly SubjectRow[],
  options?: AskOptions,
): Promise<Pick<FoundRow, "report" | "segmentIds" | "account" | "bytes">[]> {
  const reports = rows.map(({ doc }) => ({ report: JSON.parse(doc) as Record<string, unknown>, bytes: doc.length }));
  if (target === "event") return reports.map((report) => ({ ...report, segmentIds: [], account: undefined }));
  const accountKeys = [...new Set(rows.flatMap(({ account_key }) => account_key ?? []))];
  const [segments, accounts] = await Promise.all([
    segmentIdsOf(file, [...rows.map(({ key }) => key), ...accountKeys], options),
    readAccounts(file, accountKeys, options),
  ]);
  return rows.map(({ key, account_key }, index) => {
    const account = account_key === null ? undefined : accounts.get(account_key);
    const { report, bytes } = reports[index] ?? { report: {}, bytes: 0 };
    return {
      report,
      bytes: bytes + (account?.bytes ?? 0),
      segmentIds: segments.get(key) ?? [],
      account: account && { report: account.report, segmentIds: segments.get(account_key ?? 0n) ?? [] },
    };
  });
}

async function readAccounts(
  file: OrganizationFile,
  keys: readonly bigint[],
  options?: AskOptions,
): Promise<Map<bigint, Pick<FoundRow, "report" | "bytes">>> {
  if (keys.length === 0) return new Map();
  const params = { keys: { type: "integer", value: keys } } as const;
  const rows = await file.rows<{ key: bigint; doc: string }>(
    { sql: `select key, doc from ${file.databaseName}.accounts where key in (select unnest($keys))`, params },
    options,
  );
  return new Map(
    rows.map(({ key, doc }) => [key, { report: JSON.parse(doc) as Record<string, unknown>, bytes: doc.length }]),
  );
}

function accountKeyOf(target: Selection["target"]): string {
  return target === "user" ? "account_key" : "cast(null as bigint)";
}
