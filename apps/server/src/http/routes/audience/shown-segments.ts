import type { JoinedSegment as ShownSegment } from "@muster/protocol/api/segments";
import type { JoinedSegment } from "../../../audience/segments/segment-record.js";
import { type Caller, isEndUser } from "../../auth/caller.js";

/** The segments of a subject as a caller may see them. */
export function shownSegments(segments: readonly JoinedSegment[], caller: Caller): ShownSegment[] {
  return isEndUser(caller) ? segments.map(publicPart) : [...segments];
}

/**
 * What an end user may see of a segment. The query can name other people, the reason why it is broken quotes the query,
 * and its size and its edits are the company's affair.
 */
function publicPart(segment: JoinedSegment) {
  const { id, name, type, status, created_at, updated_at, entered_at } = segment;
  return { id, name, type, status, created_at, updated_at, entered_at, error: null };
}
