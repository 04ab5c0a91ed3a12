import type { Funnel, FunnelRow, FunnelUsers } from "../../insight.js";
import { compileQuery } from "../compile-query.js";
import { Joins } from "../joins.js";
import { and, oneIf, or, TRUE } from "../logic.js";
import { type CompileOptions, openScope, rowsOf, type Scope } from "../scope.js";
import type { Statement } from "../statement-params.js";
import { eventsAround, eventsIn } from "./events.js";
import { compileBreakdown, explodeSlices, type Sliced } from "./sliced.js";

export interface CompiledFunnel {
  readonly statement: Statement;
  /** Reads the rows of the answer: one for each value of the breakdown, the most frequent first. */
  readonly read: (rows: readonly Readonly<Record<string, unknown>>[]) => FunnelRow[];
}

/** The events of the same user before an event, also those of the same millisecond that were stored before it. */
const BEFORE = "partition by owner order by moment, event_row rows between unbounded preceding and 1 preceding";

// Sorting costs most, so only the events of users who can have reached the second step are sorted. With ten million events a
// funnel of three steps took half of the time.
const CANDIDATES =
  "select owner from found group by owner having min(case when fits_0 = 1 then moment end) <= max(case when fits_1 = 1 then moment end)";

export function compileFunnel(funnel: Funnel, options: CompileOptions): CompiledFunnel {
  const scope = openScope({ ...options, target: "event" });
  const { steps, breakdown } = funnel;
  const { found, users, sliced } = followSteps(funnel, scope);
  const sums = steps.map((_, place) => `sum(reached_${place}) as users_${place}`).join(", ");
  const sql =
    sliced && breakdown
      ? `with found as (${found}), users_reached as (${users}), firsts as (${firstSlices(sliced, scope)}) select slice, ${sums} from users_reached join firsts on users_reached.owner = firsts.first_owner group by slice order by users_0 desc, slice limit ${breakdown.size}`
      : `with found as (${found}) select ${sums} from (${users}) as users_reached`;
  return {
    statement: { sql, params: scope.params.values },
    read: (rows) =>
      rows.map((row) => ({
        slice: sliced ? sliced.read(row.slice) : null,
        reached: steps.map((_, place) => Number(row[`users_${place}`] ?? 0)),
      })),
  };
}

/** Selects the keys of the users behind one number of a funnel. */
export function funnelOwners({ funnel, step, hasDropped, slice }: FunnelUsers, scope: Scope): string {
  const { found, users, sliced } = followSteps(funnel, scope);
  const conditions = [`reached_${step} = 1`, ...(hasDropped ? [`reached_${step + 1} = 0`] : [])];
  if (!sliced || slice === null) {
    return `with found as (${found}) select owner from (${users}) as users_reached where ${and(conditions)}`;
  }
  const firsts = firstSlices(sliced, scope);
  return `with found as (${found}), firsts as (${firsts}) select owner from (${users}) as users_reached join firsts on users_reached.owner = firsts.first_owner where ${and([...conditions, sliced.matches(slice, scope.params)])}`;
}

interface FollowedSteps {
  /** The events of all steps, to be named `found`. */
  readonly found: string;
  /** One row for each user of the first step, which says what the user has reached. */
  readonly users: string;
  readonly sliced: Sliced | undefined;
}

/**
 * Follows the latest beginning through the steps. An event of the first step begins at its own time; an event of a later step
 * has the latest beginning of all events of the step before it, unless that is too long ago. The latest one is enough:
 * whatever an earlier one reaches in time, it reaches too.
 */
function followSteps({ steps, withinMs, period, breakdown }: Funnel, scope: Scope): FollowedSteps {
  const { dialect, params } = scope;
  const joins = new Joins(scope);
  const sliced = breakdown && compileBreakdown(breakdown, joins, scope);
  const longer = { from: period.from, to: period.to + withinMs };
  const conditions = steps.map((step, place) => compileQuery(eventsIn(step, place === 0 ? period : longer), scope));
  const around = compileQuery(eventsAround(steps, longer), scope);
  const within = params.add("integer", withinMs);
  const moment = dialect.millisecondsAfter("created_at", params.add("integer", period.from));

  const flags = conditions.map((condition, place) => `${oneIf(condition)} as fits_${place}`);
  const columns = [
    `${dialect.userKey} as owner`,
    `${moment} as moment`,
    `${dialect.eventOrder} as event_row`,
    ...flags,
    ...(sliced ? [`${sliced.sql} as slice`] : []),
  ];
  const found = `select ${columns.join(", ")} from ${rowsOf("event", scope, joins.sql())} and ${and([around, or(conditions)])}`;
  let followed = `select *, case when fits_0 = 1 then moment end as began_0 from found where owner in (${CANDIDATES})`;
  for (let place = 1; place < steps.length; place++) {
    const latest = `latest_${place}`;
    const lookedBack = `select *, max(began_${place - 1}) over (${BEFORE}) as ${latest} from (${followed}) as step_${place}`;
    const began = `case when fits_${place} = 1 and moment - ${latest} <= ${within} then ${latest} end as began_${place}`;
    followed = `select *, ${began} from (${lookedBack}) as looked_back_${place}`;
  }
  const later = steps.slice(1).map((_, index) => index + 1);
  const got = later.map((place) => `max(${oneIf(`began_${place} is not null`)}) as got_${place}`);
  const further = `select owner as further_owner, ${got.join(", ")} from (${followed}) as followed group by owner`;
  const reached = later.map((place) => `coalesce(got_${place}, 0) as reached_${place}`);
  const users = `select owner, 1 as reached_0, ${reached.join(", ")} from (select distinct owner from found where fits_0 = 1) as begun left join (${further}) as further on begun.owner = further.further_owner`;
  return { found, users, sliced };
}

/** The value of each user at the first event of the first step. Users without a value are left out. */
function firstSlices(sliced: Sliced, scope: Scope): string {
  const placed = `select owner, slice, row_number() over (partition by owner order by moment, event_row) as place from found where fits_0 = 1`;
  const filled = sliced.isList ? TRUE : "slice is not null";
  const rows = `select owner as first_owner, slice from (${placed}) as placed where place = 1 and ${filled}`;
  return explodeSlices(rows, sliced, ["first_owner"], scope);
}
