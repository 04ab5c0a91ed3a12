import type { Calendar, Measure, Trend, TrendRow, TrendUsers } from "../../insight.js";
import type { Query } from "../../query.js";
import { type CompiledBucketing, compileBucketing } from "../bucketing.js";
import { compileQuery } from "../compile-query.js";
import { Joins } from "../joins.js";
import { and, FALSE, or, TRUE } from "../logic.js";
import { compileMetric } from "../metric.js";
import { type CompileOptions, openScope, rowsOf, type Scope } from "../scope.js";
import type { Statement } from "../statement-params.js";
import { CREATED_AT, eventsIn } from "./events.js";
import { compileBreakdown, explodeSlices } from "./sliced.js";
import { type UnitSets, unitSets } from "./unit-sets.js";

export interface CompiledTrend {
  readonly statement: Statement;
  /** Reads the rows of the answer: one for each unit of time, and for each value of the breakdown, that has events. */
  readonly read: (rows: readonly Readonly<Record<string, unknown>>[]) => TrendRow[];
}

export function compileTrend(
  { query, measure, period, calendar, breakdown }: Trend,
  options: CompileOptions,
): CompiledTrend {
  const scope = openScope({ ...options, target: "event" });
  const sets = measure.kind === "users" && !breakdown ? unitSets(period, calendar, scope) : undefined;
  if (sets) return compileUsersOfUnits(eventsIn(query, period), sets, scope);
  const joins = new Joins(scope);
  const time = compileCalendar(calendar, query.path, joins, scope);
  const sliced = breakdown && compileBreakdown(breakdown, joins, scope);
  const { value, figure } = compileMeasure(measure, joins, scope);
  const condition = and([compileQuery(eventsIn(query, period), scope), time.where, sliced?.where ?? TRUE]);
  const columns = [`${time.key} as unit_start`, `${value} as v0`, ...(sliced ? [`${sliced.sql} as slice`] : [])];
  let rows = `select ${columns.join(", ")} from ${rowsOf("event", scope, joins.sql())} and ${condition}`;
  if (sliced) rows = explodeSlices(rows, sliced, ["unit_start", "v0"], scope);
  const shown = breakdown?.values
    ? or(breakdown.values.map((value) => sliced?.matches(value, scope.params) ?? FALSE))
    : `slice in (select slice from found group by slice order by count(*) desc, slice limit ${breakdown?.size})`;
  const sql = breakdown
    ? `with found as (${rows}) select unit_start, slice, ${figure} as figure from found where ${shown} group by unit_start, slice order by unit_start, slice`
    : `select unit_start, ${figure} as figure from (${rows}) as found group by unit_start order by unit_start`;
  return {
    statement: { sql, params: scope.params.values },
    read: (found) =>
      found.map((row) => ({
        start: Number(row.unit_start),
        slice: sliced ? sliced.read(row.slice) : null,
        value: row.figure === null || row.figure === undefined ? null : Number(row.figure),
      })),
  };
}

function compileUsersOfUnits(events: Query, sets: UnitSets, scope: Scope): CompiledTrend {
  const { dialect, params } = scope;
  const units = sets.setOf(dialect.milliseconds("created_at"));
  const users = `select ${units} as units from ${rowsOf("event", scope)} and ${compileQuery(events, scope)} group by ${dialect.userKey}`;
  return {
    statement: { sql: `select ${sets.counts("units").join(", ")} from (${users}) as users`, params: params.values },
    read: (rows) =>
      rows.flatMap((row) => sets.read(row).map(({ start, users: value }) => ({ start, slice: null, value }))),
  };
}

/** Selects the keys of the users of a trend. */
export function trendOwners({ trend: { query, period, breakdown }, slice }: TrendUsers, scope: Scope): string {
  const joins = new Joins(scope);
  const sliced = breakdown && slice !== null ? compileBreakdown(breakdown, joins, scope) : undefined;
  const condition = and([compileQuery(eventsIn(query, period), scope), sliced?.where ?? TRUE]);
  const columns = `${scope.dialect.userKey} as owner${sliced ? `, ${sliced.sql} as slice` : ""}`;
  const rows = `select ${columns} from ${rowsOf("event", scope, joins.sql())} and ${condition}`;
  if (!sliced) return rows;
  return `select owner from (${explodeSlices(rows, sliced, ["owner"], scope)}) as found where ${sliced.matches(slice, scope.params)}`;
}

/** The start of the unit of time of an event. */
export function compileCalendar(calendar: Calendar, path: string, joins: Joins, scope: Scope): CompiledBucketing {
  const by = { kind: "date_histogram", field: CREATED_AT, count: 1, ...calendar, minCount: 0 } as const;
  return compileBucketing({ kind: "bucket", path, by, inside: [] }, joins, scope);
}

/** The value that is read from each event as `v0`, and the figure over these values. */
function compileMeasure(measure: Measure, joins: Joins, { dialect }: Scope): { value: string; figure: string } {
  if (measure.kind === "count") return { value: "1", figure: "count(*)" };
  if (measure.kind === "users") return { value: dialect.userKey, figure: "count(distinct v0)" };
  const { path, field, kind: metric } = measure;
  const { value, results } = compileMetric({ kind: "metric", path, metric, field }, joins, dialect, 0);
  return { value, figure: results[0]?.sql ?? "count(*)" };
}
