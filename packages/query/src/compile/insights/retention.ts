import type { Retention, RetentionRow, RetentionUsers } from "../../insight.js";
import { QueryError } from "../../query-error.js";
import { compileQuery } from "../compile-query.js";
import { FALSE, oneIf } from "../logic.js";
import { type CompileOptions, openScope, rowsOf, type Scope } from "../scope.js";
import type { Statement } from "../statement-params.js";
import { eventsIn } from "./events.js";
import { MAX_PLACES, type PlaceSets, placeSets } from "./place-sets.js";
import { compileUnits } from "./units.js";

export interface CompiledRetention {
  readonly statement: Statement;
  readonly read: (rows: readonly Readonly<Record<string, unknown>>[]) => RetentionRow[];
}

/** One row for each unit of time in which users began, with a column for each unit in which some of them came back. */
export function compileRetention(retention: Retention, options: CompileOptions): CompiledRetention {
  const scope = openScope({ ...options, target: "event" });
  const { users, starts, sets } = followUsers(retention, scope);
  const later = starts.map((_, place) => `sum(${sets.has(place)}) as users_${place}`);
  const columns = ["began", "count(*) as users", "sum(at_once) as at_once", ...later];
  return {
    statement: {
      sql: `select ${columns.join(", ")} from (${users}) as users group by began`,
      params: scope.params.values,
    },
    read: (rows) =>
      rows.flatMap(({ began: place, users: all, at_once: atOnce, ...counts }) => {
        const began = Number(place);
        const start = starts[began]!;
        const returned = starts.flatMap((back, index) => {
          if (index < began) return [];
          const count = Number((index === began ? atOnce : counts[`users_${index}`]) ?? 0);
          return count === 0 ? [] : [{ start, back, users: count }];
        });
        return [{ start, back: undefined, users: Number(all) }, ...returned];
      }),
  };
}

/** Selects the keys of the users of a cohort, or of those who came back in a unit of time. */
export function retentionOwners({ retention, start, back }: RetentionUsers, scope: Scope): string {
  const { users, starts, sets } = followUsers(retention, scope);
  const began = starts.indexOf(start);
  const returned = back === undefined ? undefined : starts.indexOf(back);
  const came = () => {
    if (returned === undefined) return "";
    if (returned < began) return ` and ${FALSE}`;
    return ` and ${returned === began ? "at_once" : sets.has(returned)} = 1`;
  };
  return `select owner from (${users}) as users where began = ${began}${came()}`;
}

interface FollowedUsers {
  /**
   * A row for each user who began: in which unit, whether the user came back in that unit too, and the set of the units with a
   * return. Of that set, only later units count.
   */
  readonly users: string;
  readonly starts: readonly number[];
  readonly sets: PlaceSets;
}

function followUsers({ start, comeback, period, calendar }: Retention, scope: Scope): FollowedUsers {
  const { dialect, params } = scope;
  const { starts, place } = compileUnits(period, calendar, scope);
  if (starts.length > MAX_PLACES) throw new QueryError("interval", `expected at most ${MAX_PLACES} intervals`);
  const sets = placeSets(starts.length, scope);
  const moment = dialect.millisecondsAfter("created_at", params.add("integer", period.from));
  const [beginnings, returns] = [start, comeback].map(
    (query) =>
      `(select ${dialect.userKey} as owner, ${place} as place, ${moment} as moment from ${rowsOf("event", scope)} and ${compileQuery(eventsIn(query, period), scope)})`,
  ) as [string, string];
  const users = beginnings === returns ? oftenUsers(returns, sets) : returningUsers(beginnings, returns, sets);
  return { users, starts, sets };
}

/** More than the moment of any event counts, in milliseconds from the start of the period. */
const WEIGHT = 2 ** 43;

/**
 * The users of events that are both beginnings and returns, in one pass: the smallest `place * WEIGHT - moment` has the first
 * unit and the last event in it. It takes a third of the time of a join.
 */
function oftenUsers(events: string, sets: PlaceSets): string {
  const smallest = `min(place * ${WEIGHT} - moment) as first_unit`;
  const grouped = `select owner, min(moment) as first_moment, ${smallest}, ${sets.collect("place").join(", ")} from ${events} as found group by owner`;
  const began = `cast(ceil(first_unit / ${WEIGHT}) as integer) as began`;
  return `select *, ${oneIf(`began * ${WEIGHT} - first_unit > first_moment`)} as at_once from (select *, ${began} from (${grouped}) as grouped) as begun`;
}

/** Joins returns to the first beginnings of their users. */
function returningUsers(beginnings: string, returns: string, sets: PlaceSets): string {
  const begun = `select owner as beginner, min(moment) as first_moment, min(place) as first_place from ${beginnings} as beginnings group by owner`;
  const later = "moment > first_moment";
  const columns = [
    "beginner as owner",
    "min(first_place) as began",
    `max(${oneIf(`${later} and place = first_place`)}) as at_once`,
    ...sets.collect(`case when ${later} then place end`),
  ];
  return `select ${columns.join(", ")} from (${begun}) as begun left join ${returns} as returned on returned.owner = begun.beginner group by beginner`;
}
