import type { AttributeTypes, Target } from "../target.js";
import type { Dialect } from "./dialect.js";
import type { EventCounters } from "./event-counters.js";
import { StatementParams } from "./statement-params.js";

export interface CompileOptions {
  readonly target: Target;
  /** Writes SQL about the rows of one organization only. */
  readonly dialect: Dialect;
  readonly attributeTypes: AttributeTypes;
  /** The moment that relative dates count from. Not the engine's clock: all parts of an answer must use one time. */
  readonly now: Date;
}

/** The state of compiling one statement. */
export interface Scope extends CompileOptions {
  /** The target whose rows the expression is about. */
  readonly target: Target;
  readonly params: StatementParams;
  /** A test of the key of the users or accounts that the statement is limited to; limits subqueries too. */
  readonly among?: ((keySql: string) => string) | undefined;
  /** Counts their events in one scan, for statements with many conditions on events. */
  readonly counters?: EventCounters | undefined;
}

export function openScope({ target, dialect, attributeTypes, now }: CompileOptions): Scope {
  return { target, dialect, attributeTypes, now, params: new StatementParams(dialect) };
}

/** The same statement, inside a subquery about other rows. */
export function enter(scope: Scope, target: Target): Scope {
  return { ...scope, target, among: undefined, counters: undefined };
}

/** `users where …`, the start of every read. Further conditions follow with `and`. */
export function rowsOf(target: Target, scope: Scope, joins = ""): string {
  return `${scope.dialect.table(target)}${joins} where ${scope.dialect.ownRows(scope.params)}`;
}

/** The column of events that holds the key of the user or account in scope. */
export function ownerKey({ target, dialect }: Scope): string {
  return target === "account" ? dialect.accountKey : dialect.userKey;
}
