import type { Entity } from "../entity.js";
import type { Query } from "../query.js";

/** What a clause's parser is given: whom the query is about, and a way to parse the clauses inside. */
export interface ParseContext {
  readonly entity: Entity;
  /** The clause at `path`, about this entity or another. */
  readonly clause: (input: unknown, path: string, entity?: Entity) => Query;
}

export type ClauseParser = (body: unknown, path: string, context: ParseContext) => Query;
