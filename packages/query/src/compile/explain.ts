import { childrenOf, type Field, isFieldQuery, type Query } from "../query.js";
import { type AttributeTypes, resolveField } from "../target.js";
import { describeQuery } from "../tree/describe.js";
import { compileQuery, countEvents } from "./compile-query.js";
import { settled } from "./logic.js";
import { type CompileOptions, openScope, rowsOf, type Scope } from "./scope.js";
import type { Statement } from "./statement-params.js";

/** A clause, and its result for one user or account. */
export interface ExplainedClause {
  readonly path: string;
  /** The clause as an English sentence. */
  readonly sentence: string;
  /** Whether the clause is under a `must_not`, so that it should *not* hold. */
  readonly negated: boolean;
  readonly holds: boolean;
  /** What the clause was compared with: a value, or the number of matching events; null when there is none. */
  readonly seen: unknown;
}

export interface Explanation {
  readonly matches: boolean;
  readonly clauses: readonly ExplainedClause[];
}

/** The user or account that is explained. The values in `ExplainedClause.seen` come from it. */
export interface ExplainedReport {
  readonly report: Readonly<Record<string, unknown>>;
  readonly segmentIds: readonly string[];
  readonly account?: ExplainedReport | undefined;
}

export interface ExplainStatement extends Statement {
  readonly read: (row: Readonly<Record<string, unknown>>, subject: ExplainedReport) => Explanation;
}

interface Leaf {
  readonly query: Query;
  readonly negated: boolean;
}

/** A statement about one user or account. Its one row says whether the query matches, which clauses hold, and counts events. */
export function explainStatement(query: Query, id: string, options: CompileOptions): ExplainStatement {
  const opened = openScope(options);
  const { dialect, params } = opened;
  const scope: Scope = { ...opened, among: dialect.among([id], params) };
  const leaves = leavesOf(query, false);
  const columns = leaves.flatMap((leaf, index) => [
    `${settled(compileQuery(leaf.query, scope))} as holds_${index}`,
    ...(leaf.query.kind === "has_events" ? [`(${countEvents(leaf.query, scope)}) as count_${index}`] : []),
  ]);
  const sql = [
    `select ${[`${settled(compileQuery(query, scope))} as matches`, ...columns].join(",\n")}`,
    `from ${rowsOf(scope.target, scope)} and ${scope.among?.(dialect.key)}`,
  ].join("\n");
  return {
    sql,
    params: params.values,
    read: (row, subject) => ({
      matches: Boolean(row.matches),
      clauses: leaves.map(({ query: clause, negated }, index) => ({
        path: clause.path,
        sentence: describeQuery(clause, { target: options.target }),
        negated,
        holds: Boolean(row[`holds_${index}`]),
        seen: seenBy(clause, subject, row[`count_${index}`], options),
      })),
    }),
  };
}

function leavesOf(query: Query, negated: boolean): Leaf[] {
  if (query.kind !== "bool") return [{ query, negated }];
  const denied = new Set(query.mustNot);
  return childrenOf(query).flatMap((child) => leavesOf(child, negated !== denied.has(child)));
}

function seenBy(
  query: Query,
  subject: ExplainedReport,
  count: unknown,
  { target, attributeTypes }: CompileOptions,
): unknown {
  if (isFieldQuery(query)) {
    const owner = query.field.target === target ? subject : subject.account;
    return owner ? fieldValue(query.field, owner, attributeTypes) : null;
  }
  return query.kind === "has_events" ? Number(count) : null;
}

function fieldValue(
  { target, key }: Field,
  { report, segmentIds }: ExplainedReport,
  attributeTypes: AttributeTypes,
): unknown {
  const field = target === "event" ? undefined : resolveField(attributeTypes, target, key);
  if (field === undefined) return null;
  if (field.key === "segment_ids") return segmentIds;
  return report[field.key] ?? (field.type === "array" ? [] : null);
}
