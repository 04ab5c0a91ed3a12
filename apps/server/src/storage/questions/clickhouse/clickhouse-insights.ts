import {
  type AggregationRow,
  type CompileOptions,
  compileFunnel,
  compileRetention,
  compileTrend,
  type Statement,
} from "@muster/query";
import type { AskOptions } from "../asking.js";
import type { InsightContext, Insights } from "../insights.js";
import { compileOptions } from "./ask/compile-options.js";
import type { Statements } from "./client/statements.js";

export function clickhouseInsights(statements: Statements): Insights {
  const ask = async <Answer>(
    organizationId: string,
    context: InsightContext,
    options: AskOptions | undefined,
    compile: (options: CompileOptions) => { statement: Statement; read: (rows: readonly AggregationRow[]) => Answer },
  ): Promise<Answer> => {
    const { statement, read } = compile(compileOptions(organizationId, { ...context, target: "event" }));
    return read(await statements.ask<AggregationRow>(statement, { ...options, isLimited: true }));
  };

  return {
    trend: (organizationId, trend, context, options) =>
      ask(organizationId, context, options, (compiling) => compileTrend(trend, compiling)),
    funnel: (organizationId, funnel, context, options) =>
      ask(organizationId, context, options, (compiling) => compileFunnel(funnel, compiling)),
    retention: (organizationId, retention, context, options) =>
      ask(organizationId, context, options, (compiling) => compileRetention(retention, compiling)),
  };
}
