import type { CompileOptions } from "@muster/query";
import type { Selection } from "../../asking.js";
import { clickhouseDialect } from "./dialect.js";

/** How a selection is compiled for this engine. */
export function compileOptions(
  organizationId: string,
  { target, attributeTypes, now }: Omit<Selection, "query">,
): CompileOptions {
  return { target, attributeTypes, now, dialect: clickhouseDialect(organizationId) };
}
