import { LRUCache } from "lru-cache";
import type { Queryable } from "../../storage/postgres/database.js";
import { type Revisions, readRevisions } from "../../storage/postgres/definitions/revisions.js";
import { readSegments, type Segment } from "../../storage/postgres/segments/segments.js";
import { bytesOf, MAX_DEFINITIONS_BYTES } from "./segment-limits.js";

/** A segment as it was written, without what evaluations note about it. */
export type KnownSegment = Omit<Segment, "evaluatedRevision" | "evaluatedAt" | "scanRequestedAt" | "problemSince">;

// More than the definitions of one organization can have together. In memory they take a few times as much.
const MAX_REMEMBERED_BYTES = 1.5 * MAX_DEFINITIONS_BYTES;
const OTHER_BYTES = 500;
/** The segments of organizations, by their revision. */
const remembered = new LRUCache<string, readonly KnownSegment[]>({
  maxSize: MAX_REMEMBERED_BYTES,
  sizeCalculation: (segments) => segments.reduce((sum, segment) => sum + OTHER_BYTES + bytesOf(segment), 1),
});

/**
 * The segments of an organization as they are now. They are read when they have changed since the last time; otherwise
 * only the revision is, unless the caller has just read it.
 */
export async function loadSegments(
  database: Queryable,
  organizationId: string,
  known?: Pick<Revisions, "segments">,
): Promise<readonly KnownSegment[]> {
  const present = known ?? (await readRevisions(database, organizationId));
  const kept = present && remembered.get(present.segments);
  if (kept) return kept;
  const { revision, segments } = await readSegments(database, organizationId);
  if (revision !== undefined) remembered.set(revision, segments);
  return segments;
}
