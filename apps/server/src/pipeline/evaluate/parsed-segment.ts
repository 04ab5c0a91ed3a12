import { parse, type Query, queryDependencies, type SegmentQuery } from "@muster/query";
import type { Database } from "../../storage/postgres/database.js";
import { listSegments, type Segment } from "../../storage/postgres/segments/segments.js";

export interface ParsedSegment {
  segment: Segment;
  query: Query;
  /** Whether a segment of users asks about their accounts. */
  readsAccounts: boolean;
  /** Whether the query asks about memberships in segments. */
  readsSegments: boolean;
}

export async function loadParsedSegments(database: Database, organizationId: string): Promise<ParsedSegment[]> {
  return (await listSegments(database, organizationId)).map(parseSegment);
}

export function parseSegment(segment: Segment): ParsedSegment {
  const query = parse(segment.query, { target: segment.subjectType });
  const reads = queryDependencies(query, segment.subjectType);
  return {
    segment,
    query,
    readsAccounts: segment.subjectType === "user" && reads.account.length > 0,
    readsSegments: reads.anySegment || reads.segments.length > 0,
  };
}

export function toSegmentQuery({ segment, query }: ParsedSegment): SegmentQuery {
  return { id: segment.id, query };
}
