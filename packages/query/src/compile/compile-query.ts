import { isId } from "@muster/protocol";
import type { FieldQuery, HasEventsQuery, HasParentQuery, Query, QueryKind } from "../query.js";
import { activityOf } from "../tree/activity.js";
import type { Column } from "./column.js";
import { columnOf } from "./column-of.js";
import { equalsAny, memberOf } from "./equality.js";
import { and, atLeast, FALSE, negate, TRUE } from "./logic.js";
import { inRange } from "./range.js";
import { enter, ownerKey, rowsOf, type Scope } from "./scope.js";
import { fitsRegexp, fitsWildcard, matchesText, startsWithText } from "./text.js";

type Handler<Kind extends QueryKind> = (query: Extract<Query, { kind: Kind }>, scope: Scope) => string;
type FieldHandler<Node extends FieldQuery> = (column: Column, query: Node, scope: Scope) => string;

/** Compiles a query to a condition on the rows in scope. It is null where a value is unset, which counts as false. */
export function compileQuery(query: Query, scope: Scope): string {
  // The table has the right compiler for each kind; TypeScript cannot infer that for a union.
  const handler = HANDLERS[query.kind] as (query: Query, scope: Scope) => string;
  return handler(query, scope);
}

const HANDLERS: { readonly [Kind in QueryKind]: Handler<Kind> } = {
  all: () => TRUE,
  none: () => FALSE,
  bool: (query, scope) =>
    and([
      ...query.must.map((clause) => compileQuery(clause, scope)),
      atLeast(
        query.minimum,
        query.should.map((clause) => compileQuery(clause, scope)),
      ),
      ...query.mustNot.map((clause) => except(clause, scope)),
    ]),
  terms: field(equalsAny),
  range: field(inRange),
  exists: field((column, _, scope) => isSet(column, scope)),
  prefix: field(startsWithText),
  wildcard: field(fitsWildcard),
  regexp: field(fitsRegexp),
  match: field(matchesText),
  has_events: hasEvents,
  has_parent: hasParent,
};

/** The condition that a clause does not hold. One text is tested apart: an engine reads it in half of the time of a negation. */
function except(clause: Query, scope: Scope): string {
  if (clause.kind === "terms" && clause.field.target === scope.target && clause.values.length === 1) {
    const { type, sql } = columnOf(clause.field, scope);
    const value = String(clause.values[0]);
    if (type === "string" && !isId(value)) return `(${sql} is null or ${sql} <> ${scope.params.add("text", value)})`;
  }
  return negate(compileQuery(clause, scope));
}

/** The condition for a field of the rows in scope, or of their accounts. */
function field<Node extends FieldQuery>(compile: FieldHandler<Node>) {
  return (query: Node, scope: Scope): string => {
    if (query.field.target === scope.target) return compile(columnOf(query.field, scope), query, scope);
    const inner = enter(scope, query.field.target);
    return ofAccount(compile(columnOf(query.field, inner), query, inner), inner);
  };
}

function isSet(column: Column, scope: Scope): string {
  switch (column.type) {
    case "unknown":
      return FALSE;
    case "id":
    case "instant":
      return TRUE;
    case "array":
      return scope.dialect.isFilled(column.sql);
    case "memberships":
      return memberOf(column.sql, undefined, scope);
    default:
      return `${column.sql} is not null`;
  }
}

function ofAccount(condition: string, accounts: Scope): string {
  const { dialect } = accounts;
  return condition === FALSE
    ? FALSE
    : `${dialect.accountKey} in (select ${dialect.key} from ${rowsOf("account", accounts)} and ${condition})`;
}

function hasParent(query: HasParentQuery, scope: Scope): string {
  const { dialect } = scope;
  const inner = enter(scope, query.parent);
  const condition = compileQuery(query.query, inner);
  if (query.parent === "account") return ofAccount(condition, inner);
  return condition === FALSE
    ? FALSE
    : `${dialect.userKey} in (select ${dialect.key} from ${rowsOf("user", inner)} and ${condition})`;
}

function hasEvents(query: HasEventsQuery, scope: Scope): string {
  const { min, max } = query;
  if (scope.counters) {
    const count = scope.counters.count(compileQuery(activityOf(query.query), enter(scope, "event")));
    return and([min === 0 ? TRUE : `${count} >= ${min}`, max === undefined ? TRUE : `${count} <= ${max}`]);
  }
  // The subquery lists only owners of matching events. "At most n" includes owners without any, so it is compiled as
  // "not n + 1 or more".
  if (min === 0) return max === undefined ? TRUE : negate(hasEvents({ ...query, min: max + 1, max: undefined }, scope));
  const few = max === undefined ? "" : ` and count(*) <= ${max}`;
  const counted = min === 1 && max === undefined ? "" : ` group by owner having count(*) >= ${min}${few}`;
  return `${scope.dialect.key} in (${eventsOf(query, scope)}${counted})`;
}

/** A statement that counts the matching events of the one user or account that the scope is limited to. */
export function countEvents(query: HasEventsQuery, scope: Scope): string {
  return `select count(*) from (${eventsOf(query, scope)}) as fitting`;
}

function eventsOf(query: HasEventsQuery, scope: Scope): string {
  const inner = enter(scope, "event");
  const owner = ownerKey(scope);
  const touched = scope.among === undefined ? "" : ` and ${scope.among(owner)}`;
  return `select ${owner} as owner from ${rowsOf("event", inner)} and ${compileQuery(activityOf(query.query), inner)}${touched}`;
}
