import { Refusal, type SubjectType } from "@muster/protocol";
import { changesWithTime, parse, predicateToQuery } from "@muster/query";
import type { SegmentDefinition } from "../../storage/postgres/segments/segments.js";

type Json = Record<string, unknown>;

/** What a segment is, or would be. A query that is empty is made from the predicate. */
export interface GivenDefinition {
  name: string;
  query: Json;
  predicate: Json;
}

/** Checks a definition. An empty query is replaced by the query of the predicate, if there is one. */
export function defineSegment(
  subjectType: SubjectType,
  { name, query, predicate }: GivenDefinition,
): SegmentDefinition {
  const isEmpty = Object.keys(query).length === 0;
  const effective =
    isEmpty && Object.keys(predicate).length > 0 ? predicateToQuery(predicate, { target: subjectType }) : query;
  if (typeof effective !== "object" || effective === null) {
    throw new Refusal("invalid_query", "The predicate cannot be turned into a query.");
  }
  const tree = parse(effective, { target: subjectType });
  return { name, query: effective as Json, predicate, changesWithTime: changesWithTime(tree) };
}
