import type { CompileOptions } from "@muster/query";
import type { Selection } from "../../asking.js";
import { clickhouseDialect } from "./dialect.js";

/** How a selection is compiled for this engine. */
export function compileOptions(
  organizationId: string,
  { entity, catalog, now }: Omit<Selection, "query">,
): CompileOptions {
  return { entity, catalog, now, dialect: clickhouseDialect(organizationId) };
}
