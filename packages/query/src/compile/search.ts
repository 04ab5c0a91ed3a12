import type { Entity } from "../entity.js";
import { LIMITS } from "../limits.js";
import type { Query } from "../query.js";
import { QueryError } from "../query-error.js";
import type { SortKey } from "../sort-key.js";
import { compileQuery } from "./compile-query.js";
import { and } from "./logic.js";
import { type CompileOptions, ofOrganization, openScope, rowsOf, type Scope, tableOf } from "./scope.js";
import { compileSort } from "./sort.js";
import type { Statement } from "./statement.js";

export interface SearchOptions extends CompileOptions {
  readonly entity: Entity;
}

export interface Page {
  readonly sort: readonly SortKey[];
  readonly limit: number;
  /** Rows before the page. */
  readonly offset?: number;
  /** Go on after the row whose `cursor` holds these values, instead of counting rows from the start. */
  readonly searchAfter?: unknown;
}

/** A row of a page; `cursor` is JSON text, the `search_after` of the page that begins after this row. */
export interface SearchRow {
  readonly id: string;
  readonly doc: string;
  readonly cursor: string;
}

/** What finds a row again without reading others: the sorting key of its table. */
const ROW_KEYS: Readonly<Record<Entity, string>> = {
  user: "id",
  account: "id",
  event: "event, created_at, id",
};

/**
 * One page of documents, rows of `SearchRow`. The page's keys are found first and its documents read after, because
 * reading documents of rows that do not make the page is what costs (29 ms against 36 ms for 1 M users with documents of
 * 300 bytes, and the gap grows with the documents).
 */
export function searchStatement(query: Query, page: Page, options: SearchOptions): Statement {
  const { limit, offset = 0 } = page;
  if (page.searchAfter === undefined && offset + limit > LIMITS.pageDepth) {
    throw new QueryError(
      "page",
      `expected a page within the first ${LIMITS.pageDepth} rows; go further with search_after`,
    );
  }
  const scope = openScope(options.entity, options);
  const sort = compileSort(page.sort, scope);
  const condition = conditionOf(query, scope);
  const after = page.searchAfter === undefined ? "" : ` and ${sort.after(page.searchAfter, "search_after")}`;
  const table = `${tableOf(options.entity)} final${sort.join} where ${ofOrganization(scope)}`;
  const key = ROW_KEYS[options.entity];
  const rows = `limit ${scope.params.add("UInt64", limit)} offset ${scope.params.add("UInt64", page.searchAfter === undefined ? offset : 0)}`;
  const sql = [
    `select id, doc, ${sort.cursor} as cursor`,
    `from ${table}`,
    `and (${key}) in (select ${key} from ${table} and ${condition}${after} order by ${sort.orderBy} ${rows})`,
    `order by ${sort.orderBy}`,
  ].join("\n");
  return { sql, params: scope.params.values };
}

/** How many rows fit, exactly: one row `{count}`. */
export function countStatement(query: Query, options: SearchOptions): Statement {
  const scope = openScope(options.entity, options);
  return { sql: `select count() as count\n${matching(query, scope)}`, params: scope.params.values };
}

export interface StreamOptions extends SearchOptions {
  /** Columns to read besides `id` and `doc`. */
  readonly columns?: readonly "account_id"[];
}

/**
 * Every document that fits, to be streamed: rows `{id, doc}` in the order of the table. The statement ends in its
 * conditions, so that a range of keys can be added as one more `and`.
 */
export function streamStatement(query: Query, options: StreamOptions): Statement {
  const scope = openScope(options.entity, options);
  const columns = ["id", "doc", ...(options.columns ?? [])].join(", ");
  return { sql: `select ${columns}\n${matching(query, scope)}`, params: scope.params.values };
}

function matching(query: Query, scope: Scope): string {
  return `from ${rowsOf(scope.entity, scope)}\nand ${conditionOf(query, scope)}`;
}

/**
 * The query's condition. Where it names somebody, it begins with the few ids that any version of their rows has, found
 * without `final`: merging versions is then left to those, 10 ms instead of 100 to find an e-mail address among 1 M users.
 */
function conditionOf(query: Query, scope: Scope): string {
  const condition = compileQuery(query, scope);
  const naming = namingClause(query, scope.entity);
  if (naming === undefined) return condition;
  const rows = `${tableOf(scope.entity)} where ${ofOrganization(scope)} and ${compileQuery(naming, scope)}`;
  return and([`id in (select id from ${rows})`, condition]);
}

/** Fields whose values few share. */
const NAMING = new Set(["email", "contact_email", "external_id", "anonymous_ids", "username", "phone"]);
const FEW = 1_000;

/** A clause that everything that fits must fit, and few do. */
function namingClause(query: Query, entity: Entity): Query | undefined {
  if (entity === "event") return undefined;
  if (query.kind === "bool") {
    for (const clause of query.must) {
      const naming = namingClause(clause, entity);
      if (naming) return naming;
    }
    return undefined;
  }
  const isNaming = query.kind === "terms" && query.field.entity === entity && NAMING.has(query.field.key);
  return isNaming && query.values.length <= FEW ? query : undefined;
}
