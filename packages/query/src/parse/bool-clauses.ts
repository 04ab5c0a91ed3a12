import { isObject } from "@muster/protocol";
import { allOf, anyOf, not, type Query } from "../query.js";
import { QueryError } from "../query-error.js";
import { CLAUSE_OPTIONS, type ClauseName } from "./clause-options.js";
import type { ClauseParser, ParseContext } from "./clause-parser.js";
import { minimumShouldMatch } from "./minimum-should-match.js";
import { listAt, objectAt, refuseOthers, refuseUnknown } from "./reader.js";

export const BOOL_CLAUSES = {
  match_all: (body, path) => {
    refuseOthers(objectAt(body, path), path, CLAUSE_OPTIONS.match_all);
    return { kind: "all", path };
  },

  match_none: (body, path) => {
    refuseOthers(objectAt(body, path), path, CLAUSE_OPTIONS.match_none);
    return { kind: "none", path };
  },

  bool: (body, path, context) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, CLAUSE_OPTIONS.bool);
    const must = [...clausesIn(input, "must", path, context), ...clausesIn(input, "filter", path, context)];
    const should = clausesIn(input, "should", path, context);
    const minimum = input.minimum_should_match;
    return {
      kind: "bool",
      path,
      must,
      should,
      mustNot: clausesIn(input, "must_not", path, context),
      minimum:
        minimum === undefined
          ? defaultMinimum(must, should)
          : minimumShouldMatch(minimum, `${path}.minimum_should_match`, should.length),
    };
  },

  and: (body, path, context) => allOf(path, filtersIn(body, path, context)),

  or: (body, path, context) => anyOf(path, filtersIn(body, path, context)),

  not: (body, path, context) => {
    const input = objectAt(body, path);
    for (const wrapper of CLAUSE_OPTIONS.not.options) {
      if (wrapper in input) {
        refuseUnknown(input, path, [wrapper]);
        return not(path, context.clause(input[wrapper], `${path}.${wrapper}`));
      }
    }
    return not(path, context.clause(input, path));
  },

  constant_score: both,

  filtered: both,
} satisfies Partial<Record<ClauseName, ClauseParser>>;

/** `query` and `filter` together mean that both must hold. One of them may be left out. */
function both(body: unknown, path: string, context: ParseContext): Query {
  const input = objectAt(body, path);
  refuseOthers(input, path, CLAUSE_OPTIONS.filtered);
  const parts = CLAUSE_OPTIONS.filtered.options.filter((part) => part in input);
  if (parts.length === 0) throw new QueryError(path, "expected query or filter");
  return allOf(
    path,
    parts.map((part) => context.clause(input[part], `${path}.${part}`)),
  );
}

/** `should` is required only in a bool without other clauses. Elsewhere it only affects the score, which does not exist here. */
function defaultMinimum(must: readonly Query[], should: readonly Query[]): number {
  return must.length === 0 && should.length > 0 ? 1 : 0;
}

function clausesIn(
  input: Readonly<Record<string, unknown>>,
  key: string,
  path: string,
  context: ParseContext,
): Query[] {
  const value = input[key];
  if (value === undefined) return [];
  if (isObject(value)) return [context.clause(value, `${path}.${key}`)];
  if (!Array.isArray(value)) throw new QueryError(`${path}.${key}`, "expected a clause or a list of clauses");
  return listAt(value, `${path}.${key}`).map((clause, index) => context.clause(clause, `${path}.${key}.${index}`));
}

function filtersIn(body: unknown, path: string, context: ParseContext): Query[] {
  if (!isObject(body)) return listAt(body, path).map((clause, index) => context.clause(clause, `${path}.${index}`));
  refuseOthers(body, path, CLAUSE_OPTIONS.and);
  return listAt(body.filters, `${path}.filters`).map((clause, index) =>
    context.clause(clause, `${path}.filters.${index}`),
  );
}
