import { type CompileOptions, compileFunnel, compileRetention, compileTrend, type Statement } from "@muster/query";
import type { AskOptions } from "../asking.js";
import type { InsightContext, Insights } from "../insights.js";
import type { Engine, Row } from "./engine/engine.js";
import type { OrganizationFiles } from "./engine/organization-files.js";

export function duckdbInsights(engine: Engine, files: OrganizationFiles): Insights {
  const ask = <Answer>(
    organizationId: string,
    context: InsightContext,
    options: AskOptions | undefined,
    compile: (options: CompileOptions) => { statement: Statement; read: (rows: readonly Row[]) => Answer },
  ): Promise<Answer> =>
    files.use(organizationId, async ({ dialect }) => {
      const { statement, read } = compile({ ...context, target: "event", dialect });
      return read(await engine.rows(statement, options));
    });

  return {
    trend: (organizationId, trend, context, options) =>
      ask(organizationId, context, options, (compiling) => compileTrend(trend, compiling)),
    funnel: (organizationId, funnel, context, options) =>
      ask(organizationId, context, options, (compiling) => compileFunnel(funnel, compiling)),
    retention: (organizationId, retention, context, options) =>
      ask(organizationId, context, options, (compiling) => compileRetention(retention, compiling)),
  };
}
