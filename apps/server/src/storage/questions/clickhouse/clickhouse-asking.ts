import {
  type AggregationRow,
  compileAggregations,
  explainStatement,
  openScope,
  parse,
  rowsOf,
  type Statement,
} from "@muster/query";
import { askAggregations } from "../ask-aggregations.js";
import type { Asking, Selection } from "../asking.js";
import { compileOptions } from "./ask/compile-options.js";
import { conditionOf } from "./ask/condition.js";
import { askPage } from "./ask/read-page.js";
import type { Statements } from "./client/statements.js";
import { keyOfPath } from "./schema/json-path.js";

export function clickhouseAsking(statements: Statements): Asking {
  return {
    page: (organizationId, selection, page, options) =>
      askPage(statements, organizationId, selection, page, { ...options, isLimited: true }),

    async count(organizationId, selection, options) {
      const [row] = await statements.ask<{ count: number }>(countStatement(organizationId, selection), {
        ...options,
        isLimited: true,
      });
      return row?.count ?? 0;
    },

    async aggregate(organizationId, selection, aggregations, options) {
      const compiled = compileAggregations(selection.query, aggregations, compileOptions(organizationId, selection));
      return askAggregations(compiled, options ?? {}, (statement, asking) =>
        statements.ask<AggregationRow>(statement, { ...asking, isLimited: true }),
      );
    },

    async explain(organizationId, selection, id) {
      const { target, query } = selection;
      const { read, ...statement } = explainStatement(query, id, compileOptions(organizationId, selection));
      const itself = { ...selection, query: parse({ ids: { values: [id] } }, { target }) };
      const [[row], [found]] = await Promise.all([
        statements.ask<Record<string, unknown>>(statement, { isLimited: true }),
        askPage(statements, organizationId, itself, { sort: [], limit: 1 }, { isLimited: true }),
      ]);
      return row && found && read(row, found);
    },

    async countAttributes(organizationId, subjectType) {
      const table = `${subjectType}s final where org = {org:FixedString(24)}`;
      const linked = subjectType === "user" ? "countIf(account_id != '')" : "0";
      const [[all], rows] = await Promise.all([
        statements.rows<{ total: number; linked: number }>(
          `select count() as total, ${linked} as linked from ${table}`,
          { org: organizationId },
          { isLimited: true },
        ),
        statements.rows<{ path: string; count: number }>(
          `select arrayJoin(JSONAllPaths(attrs)) as path, count() as count from ${table} group by path`,
          { org: organizationId },
          { isLimited: true },
        ),
      ]);
      const counts = new Map(rows.map(({ path, count }) => [keyOfPath(path), count]));
      if (subjectType === "user") counts.set("account_id", all?.linked ?? 0);
      return { total: all?.total ?? 0, counts };
    },
  };
}

function countStatement(organizationId: string, selection: Selection): Statement {
  const scope = openScope(compileOptions(organizationId, selection));
  const condition = conditionOf(selection.query, scope);
  return {
    sql: `select count() as count\nfrom ${rowsOf(scope.target, scope)}\nand ${condition}`,
    params: scope.params.values,
  };
}
