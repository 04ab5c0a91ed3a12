import type { Query } from "../query.js";
import type { Target } from "../target.js";

/** What a clause's parser is given: whom the query is about, and a way to parse the clauses inside. */
export interface ParseContext {
  readonly target: Target;
  /** The clause at `path`, about this target or another. */
  readonly clause: (input: unknown, path: string, target?: Target) => Query;
}

export type ClauseParser = (body: unknown, path: string, context: ParseContext) => Query;
