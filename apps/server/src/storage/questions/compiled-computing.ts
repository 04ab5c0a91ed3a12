import {
  type CompileOptions,
  compileEventAggregates,
  compileIds,
  compileUserAggregates,
  type Statement,
  type Target,
} from "@muster/query";
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
  compile: (options: CompileOptions) => Compiled<Answer>,
) => Promise<Answer>;

/** The figures of an engine, which compiles all of them in the same way. */
export function compiledComputing(ask: Ask): Computing {
  return {
    async aggregateEvents(organizationId, aggregates, { subjectType, ids }, context) {
      if (aggregates.length === 0 || ids.length === 0) return new Map();
      return ask(organizationId, { ...context, target: "event" }, (compiling) =>
        compileEventAggregates(aggregates, subjectType, ids, compiling),
      );
    },
    async aggregateUsers(organizationId, aggregates, accountIds, context) {
      if (aggregates.length === 0 || accountIds.length === 0) return new Map();
      return ask(organizationId, { ...context, target: "user" }, (compiling) =>
        compileUserAggregates(aggregates, accountIds, compiling),
      );
    },
    idsAfter: (organizationId, { query, ...selection }, page) =>
      ask(organizationId, selection, (compiling) => compileIds(query, page, compiling)),
  };
}
