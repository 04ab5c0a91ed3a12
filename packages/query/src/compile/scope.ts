import type { Catalog, Entity } from "../entity.js";
import type { EventCounters } from "./event-counters.js";
import { Params } from "./statement.js";

export interface CompileOptions {
  /** Organization id: every table that is read is read for this organization alone. */
  readonly org: string;
  readonly catalog: Catalog;
  /** The moment relative dates count from; never the engine's own clock, so that one answer has one time. */
  readonly now: Date;
}

/** What compiling one statement carries along. */
export interface Scope extends CompileOptions {
  /** Whose rows the expression is about. */
  readonly entity: Entity;
  readonly params: Params;
  /** Placeholder of the ids the statement is limited to, which subqueries are then limited to as well. */
  readonly ids?: string | undefined;
  /** Counts the events of those ids, for statements with many questions about them. */
  readonly counters?: EventCounters | undefined;
}

const TABLES: Readonly<Record<Entity, string>> = { user: "users", account: "accounts", event: "events" };

export function openScope(entity: Entity, options: CompileOptions): Scope {
  const { org, catalog, now } = options;
  return { org, catalog, now, entity, params: new Params() };
}

/** The same statement, inside a subquery about other rows. */
export function enter(scope: Scope, entity: Entity): Scope {
  return { ...scope, entity, ids: undefined, counters: undefined };
}

/** `users final where org = …`: how every read begins. */
export function rowsOf(entity: Entity, scope: Scope): string {
  return `${TABLES[entity]} final where ${ofOrganization(scope)}`;
}

export function tableOf(entity: Entity): string {
  return TABLES[entity];
}

export function ofOrganization(scope: Scope): string {
  return `org = ${scope.params.add("FixedString(24)", scope.org)}`;
}
