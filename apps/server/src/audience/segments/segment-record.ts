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
  const { subjectType, predicate, description, tags, folder, revision, evaluatedRevision, evaluatedAt } = segment;
  return {
    ...segmentRecord(segment),
    predicate,
    description,
    tags,
    folder,
    stats: subjectType === "user" ? { users: size } : { accounts: size },
    evaluated: evaluatedRevision === revision,
    evaluated_at: evaluatedAt?.toISOString() ?? null,
    stale_seconds: secondsSince(staleSince(segment)),
    status: segment.problem === null ? "ok" : "broken",
    error: segment.problem,
  };
}

/** Since when somebody may be missing or too many; undefined when records keep the members up to date. */
function staleSince(segment: Segment): Date | undefined {
  const { problem, problemSince, revision, evaluatedRevision, updatedAt, evaluatedAt } = segment;
  if (problem !== null) return problemSince ?? updatedAt;
  if (evaluatedRevision < revision || !evaluatedAt) return updatedAt;
  return segment.scanRequestedAt ?? (segment.changesWithTime ? evaluatedAt : undefined);
}

function secondsSince(time: Date | undefined): number {
  return time === undefined ? 0 : Math.max(0, Math.round((Date.now() - time.getTime()) / 1_000));
}
