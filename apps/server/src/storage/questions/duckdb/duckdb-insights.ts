import { compiledInsights } from "../compiled-insights.js";
import type { Insights } from "../insights.js";
import type { OrganizationFiles } from "./engine/organization-files.js";

export function duckdbInsights(files: OrganizationFiles): Insights {
  return compiledInsights((organizationId, context, options, compile) =>
    files.use(organizationId, async (file) => {
      const { statement, read } = compile({ ...context, target: "event", dialect: file.dialect });
      return read(await file.rows(statement, options));
    }),
  );
}
