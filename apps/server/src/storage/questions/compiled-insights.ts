import {
  type CompileOptions,
  compileFunnel,
  compileInsightUsers,
  compileMembersThen,
  compileMembersThenCounts,
  compileRetention,
  compileTrend,
  type FunnelRow,
  type MembersThenCounts,
  type RetentionRow,
  type Statement,
  type TrendRow,
} from "@muster/query";
import type { AskOptions } from "./asking.js";
import type { InsightContext, Insights } from "./insights.js";

/** A statement about the events of an organization, and the function that reads its rows. */
interface CompiledInsight<Answer> {
  statement: Statement;
  read: (rows: readonly Readonly<Record<string, unknown>>[]) => Answer;
}

/** Compiles a question for the engine, and asks it. */
type AskInsight = <Answer extends TrendRow[] | FunnelRow[] | RetentionRow[] | MembersThenCounts | string[]>(
  organizationId: string,
  context: InsightContext,
  options: AskOptions | undefined,
  compile: (options: CompileOptions) => CompiledInsight<Answer>,
) => Promise<Answer>;

/** The insights of an engine, which compiles all of them in the same way. */
export function compiledInsights(ask: AskInsight): Insights {
  return {
    trend: (organizationId, trend, context, options) =>
      ask(organizationId, context, options, (compiling) => compileTrend(trend, compiling)),
    funnel: (organizationId, funnel, context, options) =>
      ask(organizationId, context, options, (compiling) => compileFunnel(funnel, compiling)),
    retention: (organizationId, retention, context, options) =>
      ask(organizationId, context, options, (compiling) => compileRetention(retention, compiling)),
    insightUsers: (organizationId, who, page, context, options) =>
      ask(organizationId, context, options, (compiling) => compileInsightUsers(who, page, compiling)),
    membersThen: (organizationId, given, page, context, options) =>
      ask(organizationId, context, options, (compiling) => compileMembersThen(given, page, compiling)),
    countMembersThen: (organizationId, given, context, options) =>
      ask(organizationId, context, options, (compiling) => compileMembersThenCounts(given, compiling)),
  };
}
