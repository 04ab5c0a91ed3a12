import type { Measure, Trend, TrendRow, TrendUsers } from "../../insight.js";
import type { Query } from "../../query.js";
import { compileQuery } from "../compile-query.js";
import { Joins } from "../joins.js";
import { and, FALSE, or, TRUE } from "../logic.js";
import { compileMetric } from "../metric.js";
import { type CompileOptions, openScope, rowsOf, type Scope } from "../scope.js";
import type { Statement } from "../statement-params.js";
import { eventsIn } from "./events.js";
import { MAX_PLACES, placeSets } from "./place-sets.js";
import { compileBreakdown, explodeSlices } from "./sliced.js";
import { compileUnits, type Units } from "./units.js";

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
  const units = compileUnits(period, calendar, scope);
  const events = eventsIn(query, period);
  if (measure.kind === "users" && !breakdown && units.starts.length <= MAX_PLACES) {
    return compileUsersOfUnits(events, units, scope);
  }
  const joins = new Joins(scope);
  const sliced = breakdown && compileBreakdown(breakdown, joins, scope);
  const { value, figure } = compileMeasure(measure, joins, scope);
  const condition = and([compileQuery(events, scope), sliced?.where ?? TRUE]);
  const columns = [`${units.place} as place`, `${value} as v0`, ...(sliced ? [`${sliced.sql} as slice`] : [])];
  let rows = `select ${columns.join(", ")} from ${rowsOf("event", scope, joins.sql())} and ${condition}`;
  if (sliced) rows = explodeSlices(rows, sliced, ["place", "v0"], scope);
  const shown = breakdown?.values
    ? or(breakdown.values.map((value) => sliced?.matches(value, scope.params) ?? FALSE))
    : `slice in (select slice from figures group by slice order by sum(events) desc, slice limit ${breakdown?.size})`;
  // The figures of all values are fewer rows than the events, so the frequent values are found among these.
  const figures = `select place, slice, ${figure} as figure, count(*) as events from (${rows}) as found group by place, slice`;
  const sql = breakdown
    ? `with figures as (${figures}) select place, slice, figure from figures where ${shown} order by place, slice`
    : `select place, ${figure} as figure from (${rows}) as found group by place order by place`;
  return {
    statement: { sql, params: scope.params.values },
    read: (found) =>
      found.map((row) => ({
        start: units.starts[Number(row.place)]!,
        slice: sliced ? sliced.read(row.slice) : null,
        value: row.figure === null || row.figure === undefined ? null : Number(row.figure),
      })),
  };
}

/** Makes one set of units for each user, and counts the sets that have a unit. */
function compileUsersOfUnits(events: Query, { starts, place }: Units, scope: Scope): CompiledTrend {
  const sets = placeSets(starts.length, scope);
  const users = `select ${sets.collect(place).join(", ")} from ${rowsOf("event", scope)} and ${compileQuery(events, scope)} group by ${scope.dialect.userKey}`;
  const counts = starts.map((_, index) => `sum(${sets.has(index)}) as users_${index}`);
  return {
    statement: { sql: `select ${counts.join(", ")} from (${users}) as users`, params: scope.params.values },
    read: ([row]) =>
      starts
        .map((start, index) => ({ start, slice: null, value: Number(row?.[`users_${index}`] ?? 0) }))
        .filter(({ value }) => value > 0),
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

/** The value that is read from each event as `v0`, and the figure over these values. */
function compileMeasure(measure: Measure, joins: Joins, { dialect }: Scope): { value: string; figure: string } {
  if (measure.kind === "count") return { value: "1", figure: "count(*)" };
  if (measure.kind === "users") return { value: dialect.userKey, figure: "count(distinct v0)" };
  const { path, field, kind: metric } = measure;
  const { value, results } = compileMetric({ kind: "metric", path, metric, field }, joins, dialect, 0);
  return { value, figure: results[0]?.sql ?? "count(*)" };
}
