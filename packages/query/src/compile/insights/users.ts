import type { InsightUsers, UsersPage } from "../../insight.js";
import { columnOf } from "../column-of.js";
import { type CompileOptions, enter, openScope, rowsOf, type Scope } from "../scope.js";
import type { Statement } from "../statement-params.js";
import { funnelOwners } from "./funnel.js";
import { retentionOwners } from "./retention.js";
import { trendOwners } from "./trend.js";

export interface CompiledUsers {
  readonly statement: Statement;
  /** Reads the ids of the users. */
  readonly read: (rows: readonly Readonly<Record<string, unknown>>[]) => string[];
}

/** Selects the ids of the users behind a number, by the definition that the number has. */
export function compileInsightUsers(
  who: InsightUsers,
  { after, limit }: UsersPage,
  options: CompileOptions,
): CompiledUsers {
  const scope = openScope({ ...options, target: "event" });
  const ofUsers = enter(scope, "user");
  const { sql: id } = columnOf({ target: "user", key: "id", exact: true }, ofUsers);
  const further = after === undefined ? "" : ` and ${id} > ${scope.params.add("id", after)}`;
  const users = `${rowsOf("user", ofUsers)} and ${scope.dialect.key} in (select owner from (${ownersOf(who, scope)}) as owners)`;
  const sql = `select ${scope.dialect.idText(id)} as user_id from ${users}${further} order by ${id} limit ${limit}`;
  return {
    statement: { sql, params: scope.params.values },
    read: (rows) => rows.map(({ user_id: found }) => String(found)),
  };
}

function ownersOf(who: InsightUsers, scope: Scope): string {
  switch (who.kind) {
    case "trend":
      return trendOwners(who, scope);
    case "funnel":
      return funnelOwners(who, scope);
    case "retention":
      return retentionOwners(who, scope);
  }
}
