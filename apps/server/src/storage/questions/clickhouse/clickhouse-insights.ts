import type { AggregationRow } from "@muster/query";
import { compiledInsights } from "../compiled-insights.js";
import type { Insights } from "../insights.js";
import { compileOptions } from "./ask/compile-options.js";
import type { Statements } from "./client/statements.js";

export function clickhouseInsights(statements: Statements): Insights {
  return compiledInsights(async (organizationId, context, options, compile) => {
    const { statement, read } = compile(compileOptions(organizationId, { ...context, target: "event" }));
    return read(await statements.ask<AggregationRow>(statement, { ...options, isLimited: true }));
  });
}
