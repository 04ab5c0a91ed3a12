import { compiledComputing } from "../compiled-computing.js";
import type { Computing } from "../computing.js";
import type { OrganizationFiles } from "./engine/organization-files.js";

export function duckdbComputing(files: OrganizationFiles): Computing {
  return compiledComputing((organizationId, context, compile, options) =>
    files.use(organizationId, async (file) => {
      const { statement, read } = compile({ ...context, dialect: file.dialect });
      return read(await file.rows(statement, options));
    }),
  );
}
