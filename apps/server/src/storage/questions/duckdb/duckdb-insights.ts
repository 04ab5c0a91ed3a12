import { compiledInsights } from "../compiled-insights.js";
import type { Insights } from "../insights.js";
import type { Engine } from "./engine/engine.js";
import type { OrganizationFiles } from "./engine/organization-files.js";

export function duckdbInsights(engine: Engine, files: OrganizationFiles): Insights {
  return compiledInsights((organizationId, context, options, compile) =>
    files.use(organizationId, async ({ dialect }) => {
      const { statement, read } = compile({ ...context, target: "event", dialect });
      return read(await engine.rows(statement, options));
    }),
  );
}
