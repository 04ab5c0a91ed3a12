import type { AttributeTypes, Target } from "../target.js";
import type { Dialect } from "./dialect.js";
import type { EventCounters } from "./event-counters.js";
import { StatementParams } from "./statement-params.js";

export interface CompileOptions {
  readonly target: Target;
  /** Speaks to the engine about the rows of one organization alone. */
  readonly dialect: Dialect;
  readonly attributeTypes: AttributeTypes;
  /** The moment relative dates count from; never the engine's own clock, so that one answer has one time. */
  readonly now: Date;
}

/** What compiling one statement carries along. */
export interface Scope extends CompileOptions {
  /** Whose rows the expression is about. */
  readonly target: Target;
  readonly params: StatementParams;
  /** The users or accounts the statement is limited to, as a test of their key; subqueries are then limited as well. */
  readonly among?: ((keySql: string) => string) | undefined;
  /** Counts the events of those, for statements with many questions about them. */
  readonly counters?: EventCounters | undefined;
}

export function openScope({ target, dialect, attributeTypes, now }: CompileOptions): Scope {
  return { target, dialect, attributeTypes, now, params: new StatementParams(dialect) };
}

/** The same statement, inside a subquery about other rows. */
export function enter(scope: Scope, target: Target): Scope {
  return { ...scope, target, among: undefined, counters: undefined };
}

/** `users where …`: how every read begins; conditions follow with `and`. */
export function rowsOf(target: Target, scope: Scope, joins = ""): string {
  return `${scope.dialect.table(target)}${joins} where ${scope.dialect.ownRows(scope.params)}`;
}

/** The column of events that holds the key of the user or account in scope. */
export function ownerKey({ target, dialect }: Scope): string {
  return target === "account" ? dialect.accountKey : dialect.userKey;
}
