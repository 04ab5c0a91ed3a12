import type { Funnel, FunnelRow } from "../../insight.js";
import { compileQuery } from "../compile-query.js";
import { Joins } from "../joins.js";
import { oneIf, or, TRUE } from "../logic.js";
import { type CompileOptions, openScope, rowsOf, type Scope } from "../scope.js";
import type { Statement } from "../statement-params.js";
import { eventsIn } from "./events.js";
import { compileBreakdown, explodeSlices, type Sliced } from "./sliced.js";

export interface CompiledFunnel {
  readonly statement: Statement;
  /** Reads the rows of the answer: one for each value of the breakdown, the most frequent first. */
  readonly read: (rows: readonly Readonly<Record<string, unknown>>[]) => FunnelRow[];
}

/** The events of the same user before an event. Ids decide between events of the same millisecond. */
const BEFORE = "partition by owner order by moment, event_row rows between unbounded preceding and 1 preceding";

/**
 * Follows the latest beginning through the steps. An event of the first step begins at its own time; an event of a later step
 * has the latest beginning of all events of the step before it, unless that is too long ago. The latest one is enough:
 * whatever an earlier one reaches in time, it reaches too.
 */
export function compileFunnel({ steps, withinMs, period, breakdown }: Funnel, options: CompileOptions): CompiledFunnel {
  const scope = openScope({ ...options, target: "event" });
  const { dialect, params } = scope;
  const joins = new Joins(scope);
  const sliced = breakdown && compileBreakdown(breakdown, joins, scope);
  const later = { from: period.from, to: period.to + withinMs };
  const conditions = steps.map((step, place) => compileQuery(eventsIn(step, place === 0 ? period : later), scope));
  const within = params.add("number", withinMs);

  const flags = conditions.map((condition, place) => `${oneIf(condition)} as fits_${place}`);
  const columns = [
    `${dialect.userKey} as owner`,
    `${dialect.milliseconds("created_at")} as moment`,
    "id as event_row",
    ...flags,
    ...(sliced ? [`${sliced.sql} as slice`] : []),
  ];
  const found = `select ${columns.join(", ")} from ${rowsOf("event", scope, joins.sql())} and ${or(conditions)}`;
  let followed = `select *, case when fits_0 = 1 then moment end as began_0 from found`;
  for (let place = 1; place < steps.length; place++) {
    const latest = `latest_${place}`;
    const lookedBack = `select *, max(began_${place - 1}) over (${BEFORE}) as ${latest} from (${followed}) as step_${place}`;
    const began = `case when fits_${place} = 1 and moment - ${latest} <= ${within} then ${latest} end as began_${place}`;
    followed = `select *, ${began} from (${lookedBack}) as looked_back_${place}`;
  }
  const reached = steps.map((_, place) => `max(${oneIf(`began_${place} is not null`)}) as reached_${place}`);
  const users = `select owner, ${reached.join(", ")} from (${followed}) as followed group by owner`;
  const sums = steps.map((_, place) => `sum(reached_${place}) as users_${place}`).join(", ");

  const sql = sliced
    ? `with found as (${found}), users_reached as (${users}), firsts as (${firstSlices(sliced, scope)}) select slice, ${sums} from users_reached join firsts on users_reached.owner = firsts.first_owner group by slice order by users_0 desc, slice limit ${breakdown.size}`
    : `with found as (${found}) select ${sums} from (${users}) as users_reached`;

  return {
    statement: { sql, params: params.values },
    read: (rows) =>
      rows.map((row) => ({
        slice: sliced ? sliced.read(row.slice) : null,
        reached: steps.map((_, place) => Number(row[`users_${place}`] ?? 0)),
      })),
  };
}

/** The value of each user at the first event of the first step. Users without a value are left out. */
function firstSlices(sliced: Sliced, scope: Scope): string {
  const placed = `select owner, slice, row_number() over (partition by owner order by moment, event_row) as place from found where fits_0 = 1`;
  const filled = sliced.isList ? TRUE : "slice is not null";
  const rows = `select owner as first_owner, slice from (${placed}) as placed where place = 1 and ${filled}`;
  return explodeSlices(rows, sliced, ["first_owner"], scope);
}
