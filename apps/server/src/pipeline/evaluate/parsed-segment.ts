import { parse, type Query, QueryError, queryDependencies, type SegmentQuery } from "@muster/query";
import type { Database } from "../../storage/postgres/database.js";
import { listSegments, type Segment } from "../../storage/postgres/segments/segments.js";
import { type BrokenSegment, refusalOf } from "./broken-segments.js";

export interface ParsedSegment {
  segment: Segment;
  query: Query;
  /** Whether a segment of users asks about their accounts. */
  readsAccounts: boolean;
  /** Whether the query asks about memberships in segments. */
  readsSegments: boolean;
}

/** The segments of an organization that can be evaluated, as far as that is known. */
export async function loadParsedSegments(
  database: Database,
  organizationId: string,
): Promise<{ parsed: ParsedSegment[]; broken: BrokenSegment[] }> {
  const parsed: ParsedSegment[] = [];
  const broken: BrokenSegment[] = [];
  for (const segment of await listSegments(database, organizationId)) {
    // A sweep tries it again after a while.
    if (segment.problem !== null) continue;
    try {
      parsed.push(parseSegment(segment));
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      broken.push({ segment, problem: refusalOf(error) });
    }
  }
  return { parsed, broken };
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
