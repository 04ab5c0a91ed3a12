import {
  type CompileOptions,
  compileEventAggregates,
  compileIds,
  compileUserAggregates,
  type Statement,
  type Target,
} from "@muster/query";
import type { AskOptions } from "./asking.js";
import type { Computing, ComputingContext } from "./computing.js";

/** A statement about an organization, and the function that reads its rows. */
interface Compiled<Answer> {
  statement: Statement;
  read: (rows: readonly Readonly<Record<string, unknown>>[]) => Answer;
}

/** Compiles a question for the engine, and asks it. */
type Ask = <Answer>(
  organizationId: string,
  context: ComputingContext & { target: Target },
  compile: (compiling: CompileOptions) => Compiled<Answer>,
  options: AskOptions | undefined,
) => Promise<Answer>;

/** The figures of an engine, which compiles all of them in the same way. */
export function compiledComputing(ask: Ask): Computing {
  return {
    async aggregateEvents(organizationId, aggregates, { subjectType, ids }, context, options) {
      if (aggregates.length === 0 || ids.length === 0) return new Map();
      const compile = (compiling: CompileOptions) => compileEventAggregates(aggregates, subjectType, ids, compiling);
      return ask(organizationId, { ...context, target: "event" }, compile, options);
    },
    async aggregateUsers(organizationId, aggregates, accountIds, context, options) {
      if (aggregates.length === 0 || accountIds.length === 0) return new Map();
      const compile = (compiling: CompileOptions) => compileUserAggregates(aggregates, accountIds, compiling);
      return ask(organizationId, { ...context, target: "user" }, compile, options);
    },
    idsAfter: (organizationId, { query, ...selection }, page, options) =>
      ask(organizationId, selection, (compiling) => compileIds(query, page, compiling), options),
  };
}
