import type { SegmentRecord } from "@muster/protocol";
import type { Segment as SegmentDetails } from "@muster/protocol/api/segments";
import type { Segment } from "../../storage/postgres/segments/segments.js";

/** A segment that a user or account is in, and since when. */
export type JoinedSegment = SegmentDetails & { entered_at: string };

/** A segment as connectors get it. */
export function segmentRecord({
  id,
  name,
  subjectType,
  query,
  createdAt,
  updatedAt,
}: Pick<Segment, "id" | "name" | "subjectType" | "query" | "createdAt" | "updatedAt">): SegmentRecord {
  return {
    id,
    name,
    type: `${subjectType}s_segment`,
    query,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

export function segmentDetails(segment: Segment, size: number): SegmentDetails {
  const { subjectType, predicate, revision, evaluatedRevision } = segment;
  return {
    ...segmentRecord(segment),
    predicate,
    stats: subjectType === "user" ? { users: size } : { accounts: size },
    evaluated: evaluatedRevision === revision,
    status: segment.problem === null ? "ok" : "broken",
    error: segment.problem,
  };
}
