import type { Query } from "../query.js";
import { QueryError } from "../query-error.js";
import { compileQuery } from "./compile-query.js";
import type { Scope } from "./scope.js";

export interface SegmentQuery {
  readonly id: string;
  readonly query: Query;
}

export interface CompiledSegments {
  readonly compiled: readonly { readonly id: string; readonly condition: string }[];
  /** Segments that cannot be compiled, because a field has since got a type that their query does not allow. */
  readonly refused: readonly { readonly id: string; readonly error: QueryError }[];
}

/** Compiles the conditions of many segments. A segment that cannot be compiled does not affect the others. */
export function compileSegments(segments: readonly SegmentQuery[], scope: Scope): CompiledSegments {
  const compiled: { id: string; condition: string }[] = [];
  const refused: { id: string; error: QueryError }[] = [];
  for (const { id, query } of segments) {
    try {
      compiled.push({ id, condition: compileQuery(query, scope) });
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      refused.push({ id, error });
    }
  }
  return { compiled, refused };
}
