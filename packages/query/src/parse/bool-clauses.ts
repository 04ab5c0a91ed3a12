import { isObject } from "@muster/protocol";
import { allOf, anyOf, not, type Query } from "../query.js";
import { QueryError } from "../query-error.js";
import type { ClauseParser, ParseContext } from "./clause-parser.js";
import { minimumShouldMatch } from "./minimum-should-match.js";
import { listAt, objectAt, refuseUnknown } from "./reader.js";

export const BOOL_CLAUSES = {
  match_all: (body, path) => {
    refuseUnknown(objectAt(body, path), path, []);
    return { kind: "all", path };
  },

  match_none: (body, path) => {
    refuseUnknown(objectAt(body, path), path, []);
    return { kind: "none", path };
  },

  bool: (body, path, context) => {
    const input = objectAt(body, path);
    refuseUnknown(input, path, [
      "must",
      "filter",
      "should",
      "must_not",
      "minimum_should_match",
      "disable_coord",
      "adjust_pure_negative",
    ]);
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
    for (const wrapper of ["filter", "query"]) {
      if (wrapper in input) {
        refuseUnknown(input, path, [wrapper]);
        return not(path, context.clause(input[wrapper], `${path}.${wrapper}`));
      }
    }
    return not(path, context.clause(input, path));
  },

  constant_score: both,

  filtered: both,
} satisfies Record<string, ClauseParser>;

/** `query` and `filter` together mean that both must hold. One of them may be left out. */
function both(body: unknown, path: string, context: ParseContext): Query {
  const input = objectAt(body, path);
  refuseUnknown(input, path, ["query", "filter", "strategy"]);
  const parts = ["query", "filter"].filter((part) => part in input);
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
  refuseUnknown(body, path, ["filters"]);
  return listAt(body.filters, `${path}.filters`).map((clause, index) =>
    context.clause(clause, `${path}.filters.${index}`),
  );
}
