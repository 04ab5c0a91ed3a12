import type { CompileOptions } from "@muster/query";
import type { Selection } from "../../asking.js";
import { clickhouseDialect } from "./dialect.js";

/** The options that compile a selection for ClickHouse. */
export function compileOptions(
  organizationId: string,
  { target, attributeTypes, now }: Omit<Selection, "query">,
): CompileOptions {
  return { target, attributeTypes, now, dialect: clickhouseDialect(organizationId) };
}
