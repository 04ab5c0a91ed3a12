import { compiledComputing } from "../compiled-computing.js";
import type { Computing } from "../computing.js";
import type { Engine } from "./engine/engine.js";
import type { OrganizationFiles } from "./engine/organization-files.js";

export function duckdbComputing(engine: Engine, files: OrganizationFiles): Computing {
  return compiledComputing((organizationId, context, compile) =>
    files.use(organizationId, async ({ dialect }) => {
      const { statement, read } = compile({ ...context, dialect });
      return read(await engine.rows(statement));
    }),
  );
}
