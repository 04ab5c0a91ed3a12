import type { SubjectType } from "@muster/protocol";
import { parse, type QueryDependencies, QueryError, queryDependencies } from "@muster/query";

/** What the query of a segment asks for. Undefined when the query cannot be read. */
export function segmentReads({
  query,
  subjectType: target,
}: {
  query: unknown;
  subjectType: SubjectType;
}): QueryDependencies | undefined {
  try {
    return queryDependencies(parse(query, { target }), target);
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}
