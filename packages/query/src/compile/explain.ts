import { childrenOf, type FieldQuery, isFieldQuery, type Query } from "../query.js";
import { describeQuery } from "../tree/describe.js";
import type { Column } from "./column.js";
import { compileQuery, countEvents } from "./compile-query.js";
import { Joins } from "./joins.js";
import { settled } from "./logic.js";
import { dynamicTexts } from "./metric.js";
import { ofOrganization, openScope, type Scope, tableOf } from "./scope.js";
import type { SearchOptions } from "./search.js";
import type { Statement } from "./statement.js";

/** A clause that decides something, and what it says of one entity. */
export interface ExplainedClause {
  readonly path: string;
  /** The clause in words. */
  readonly sentence: string;
  /** Whether the clause stands under a `must_not`: then it should *not* hold. */
  readonly negated: boolean;
  readonly holds: boolean;
  /** What the entity has where the clause looks: a value, or the number of events that fit; null when nothing. */
  readonly seen: unknown;
}

export interface ExplainStatement extends Statement {
  /** Undefined when there is no such entity. */
  readonly read: (rows: readonly ExplainRow[]) => { matches: boolean; clauses: ExplainedClause[] } | undefined;
}

export interface ExplainRow {
  readonly matches: number | boolean;
  readonly holds: readonly number[];
  readonly seen: readonly (string | null)[];
}

interface Leaf {
  readonly query: Query;
  readonly negated: boolean;
}

/** For one entity: does it fit, which clauses hold, and what did they see. */
export function explainStatement(query: Query, id: string, options: SearchOptions): ExplainStatement {
  const opened = openScope(options.entity, options);
  const idParam = opened.params.add("FixedString(24)", id);
  const scope: Scope = { ...opened, ids: `[${idParam}]` };
  const joins = new Joins(scope);
  const leaves = leavesOf(query, false);
  const holds = leaves.map((leaf) => `toUInt8(${settled(compileQuery(leaf.query, scope))})`);
  const seen = leaves.map((leaf) => `toNullable(${seenBy(leaf.query, joins, scope)})`);
  const sql = [
    `select ${settled(compileQuery(query, scope))} as matches,`,
    `${list(holds, "UInt8")} as holds,`,
    `${list(seen, "String")} as seen`,
    `from ${tableOf(scope.entity)} final${joins.sql()}`,
    `where ${ofOrganization(scope)} and id = ${idParam}`,
  ].join("\n");
  return { sql, params: scope.params.values, read: (rows) => readRow(rows[0], leaves, options) };
}

function readRow(row: ExplainRow | undefined, leaves: readonly Leaf[], options: SearchOptions) {
  return (
    row && {
      matches: Boolean(row.matches),
      clauses: leaves.map(({ query, negated }, index) => ({
        path: query.path,
        sentence: describeQuery(query, { entity: options.entity }),
        negated,
        holds: row.holds[index] === 1,
        seen: JSON.parse(row.seen[index] ?? "null"),
      })),
    }
  );
}

function leavesOf(query: Query, negated: boolean): Leaf[] {
  if (query.kind !== "bool") return [{ query, negated }];
  const denied = new Set(query.mustNot);
  return childrenOf(query).flatMap((child) => leavesOf(child, negated !== denied.has(child)));
}

/** JSON text of what the clause looks at. */
function seenBy(query: Query, joins: Joins, scope: Scope): string {
  if (isFieldQuery(query)) return fieldValue(query, joins);
  return query.kind === "has_events" ? `toString((${countEvents(query, scope)}))` : "'null'";
}

function fieldValue(query: FieldQuery, joins: Joins): string {
  return joins.value(query.field, (column) => ({ sql: shownValue(column) })).sql;
}

function shownValue(column: Column): string {
  switch (column.type) {
    case "unknown":
      return "'null'";
    case "id":
      return `toJSONString(toString(${column.sql}))`;
    case "date":
      return isoText(`fromUnixTimestamp64Milli(toInt64(${column.sql}), 'UTC')`);
    case "instant":
      return isoText(column.sql);
    case "dynamic":
      return `toJSONString(${dynamicTexts(column.sql)})`;
    case "json":
      return `ifNull(${column.sql}, 'null')`;
    default:
      return `toJSONString(${column.sql})`;
  }
}

function isoText(sql: string): string {
  return `toJSONString(concat(replaceOne(toString(${sql}), ' ', 'T'), 'Z'))`;
}

function list(items: readonly string[], type: "UInt8" | "String"): string {
  return items.length === 0 ? `emptyArray${type}()` : `[${items.join(", ")}]`;
}
