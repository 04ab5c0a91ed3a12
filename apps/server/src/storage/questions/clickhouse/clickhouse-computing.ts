import { compiledComputing } from "../compiled-computing.js";
import type { Computing } from "../computing.js";
import { compileOptions } from "./ask/compile-options.js";
import type { Statements } from "./client/statements.js";

export function clickhouseComputing(statements: Statements): Computing {
  return compiledComputing(async (organizationId, context, compile, { signal, isOfPipeline = false } = {}) => {
    const { statement, read } = compile(compileOptions(organizationId, context));
    return read(await statements.ask<Record<string, unknown>>(statement, { signal, isLimited: !isOfPipeline }));
  });
}
