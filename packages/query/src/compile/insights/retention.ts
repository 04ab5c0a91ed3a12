import type { Retention, RetentionRow, RetentionUsers } from "../../insight.js";
import { compileQuery } from "../compile-query.js";
import { Joins } from "../joins.js";
import { type CompileOptions, openScope, rowsOf, type Scope } from "../scope.js";
import type { Statement } from "../statement-params.js";
import { eventsIn } from "./events.js";
import { compileCalendar } from "./trend.js";

export interface CompiledRetention {
  readonly statement: Statement;
  readonly read: (rows: readonly Readonly<Record<string, unknown>>[]) => RetentionRow[];
}

/** One row for each unit of time in which users began, and one for each unit in which some of them came back. */
export function compileRetention(retention: Retention, options: CompileOptions): CompiledRetention {
  const scope = openScope({ ...options, target: "event" });
  const { beginners, comebacks } = cohortsOf(retention, scope);
  const all = "select began, 0 as is_back, began as back, count(*) as users from beginners group by began";
  const returned = `select began, 1 as is_back, unit_start as back, count(distinct comebacks.owner) as users from ${comebacks} group by began, unit_start`;
  const sql = `with beginners as (${beginners}) ${all} union all ${returned}`;
  return {
    statement: { sql, params: scope.params.values },
    read: (rows) =>
      rows.map(({ began, is_back: isBack, back, users }) => ({
        start: Number(began),
        back: Number(isBack) === 1 ? Number(back) : undefined,
        users: Number(users),
      })),
  };
}

/** Selects the keys of the users of a cohort, or of those who came back in a unit of time. */
export function retentionOwners({ retention, start, back }: RetentionUsers, scope: Scope): string {
  const { beginners, comebacks } = cohortsOf(retention, scope);
  const began = `began = ${scope.params.add("number", start)}`;
  const owners =
    back === undefined
      ? `select owner from beginners where ${began}`
      : `select comebacks.owner from ${comebacks} and ${began} and unit_start = ${scope.params.add("number", back)}`;
  return `with beginners as (${beginners}) ${owners}`;
}

/** The first event of each user, and the later events, joined to it. */
function cohortsOf({ start, comeback, period, calendar }: Retention, scope: Scope) {
  const { dialect } = scope;
  const joins = new Joins(scope);
  const unit = compileCalendar(calendar, start.path, joins, scope).key;
  const columns = `${dialect.userKey} as owner, ${dialect.milliseconds("created_at")} as moment, ${unit} as unit_start`;
  const eventsOf = (query: Retention["start"]) =>
    `select ${columns} from ${rowsOf("event", scope, joins.sql())} and ${compileQuery(eventsIn(query, period), scope)}`;
  return {
    beginners: `select owner, min(moment) as first_moment, min(unit_start) as began from (${eventsOf(start)}) as begun group by owner`,
    comebacks: `(${eventsOf(comeback)}) as comebacks join beginners on beginners.owner = comebacks.owner where moment > first_moment`,
  };
}
