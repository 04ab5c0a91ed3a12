import type { Catalog, Entity } from "../entity.js";
import type { Dialect } from "./dialect.js";
import type { EventCounters } from "./event-counters.js";
import { Params } from "./params.js";

export interface CompileOptions {
  readonly entity: Entity;
  /** Speaks to the engine about the rows of one organization alone. */
  readonly dialect: Dialect;
  readonly catalog: Catalog;
  /** The moment relative dates count from; never the engine's own clock, so that one answer has one time. */
  readonly now: Date;
}

/** What compiling one statement carries along. */
export interface Scope extends CompileOptions {
  /** Whose rows the expression is about. */
  readonly entity: Entity;
  readonly params: Params;
  /** The users or accounts the statement is limited to, as a test of their key; subqueries are then limited as well. */
  readonly among?: ((keySql: string) => string) | undefined;
  /** Counts the events of those, for statements with many questions about them. */
  readonly counters?: EventCounters | undefined;
}

export function openScope({ entity, dialect, catalog, now }: CompileOptions): Scope {
  return { entity, dialect, catalog, now, params: new Params(dialect) };
}

/** The same statement, inside a subquery about other rows. */
export function enter(scope: Scope, entity: Entity): Scope {
  return { ...scope, entity, among: undefined, counters: undefined };
}

/** `users where …`: how every read begins; conditions follow with `and`. */
export function rowsOf(entity: Entity, scope: Scope, joins = ""): string {
  return `${scope.dialect.table(entity)}${joins} where ${scope.dialect.ownRows(scope.params)}`;
}
