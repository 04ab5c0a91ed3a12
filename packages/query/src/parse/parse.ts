import { LIMITS } from "../limits.js";
import type { Query } from "../query.js";
import { QueryError } from "../query-error.js";
import type { Target } from "../target.js";
import { BOOL_CLAUSES } from "./bool-clauses.js";
import type { ClauseName } from "./clause-options.js";
import type { ClauseParser } from "./clause-parser.js";
import { objectAt } from "./reader.js";
import { RELATION_CLAUSES } from "./relation-clauses.js";
import { TEXT_CLAUSES } from "./text-clauses.js";
import { VALUE_CLAUSES } from "./value-clauses.js";

export interface ParseOptions {
  /** The target of the query. */
  readonly target: Target;
  /** The place of the query in the request, for error messages. Default `query`. */
  readonly path?: string;
}

const PARSERS: Readonly<Record<ClauseName, ClauseParser>> = {
  ...BOOL_CLAUSES,
  ...VALUE_CLAUSES,
  ...TEXT_CLAUSES,
  ...RELATION_CLAUSES,
};
const CLAUSES: ReadonlyMap<string, ClauseParser> = new Map(Object.entries(PARSERS));

/**
 * Checks a query and returns its tree, frozen.
 *
 * @example parse({ term: { plan: "pro" } }, { target: "user" })
 * @throws QueryError
 */
export function parse(input: unknown, options: ParseOptions): Query {
  let clauses = 0;

  const parseClause = (value: unknown, path: string, target: Target, depth: number): Query => {
    clauses += 1;
    if (clauses > LIMITS.clauses) throw new QueryError(path, `expected at most ${LIMITS.clauses} clauses`);
    if (depth > LIMITS.depth) throw new QueryError(path, `expected clauses at most ${LIMITS.depth} deep`);
    const [entry, ...others] = Object.entries(objectAt(value, path));
    if (entry === undefined) return { kind: "all", path };
    if (others.length > 0) throw new QueryError(path, `expected one clause, got ${others.length + 1}`);
    const [name, body] = entry;
    const parser = CLAUSES.get(name);
    if (parser === undefined)
      throw new QueryError(`${path}.${name}`, `unknown clause; expected one of ${[...CLAUSES.keys()].join(", ")}`);
    return parser(body, `${path}.${name}`, {
      target,
      clause: (inner, innerPath, innerTarget = target) => parseClause(inner, innerPath, innerTarget, depth + 1),
    });
  };

  return freeze(parseClause(input, options.path ?? "query", options.target, 1));
}

function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}
