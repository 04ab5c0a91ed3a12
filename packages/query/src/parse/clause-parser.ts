import type { Query } from "../query.js";
import type { Target } from "../target.js";

/** What the parser of a clause needs: the target of the query, and a function that parses nested clauses. */
export interface ParseContext {
  readonly target: Target;
  /** The clause at `path`, about this target or another. */
  readonly clause: (input: unknown, path: string, target?: Target) => Query;
}

export type ClauseParser = (body: unknown, path: string, context: ParseContext) => Query;
