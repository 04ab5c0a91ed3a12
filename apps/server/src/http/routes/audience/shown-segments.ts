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
  const { query: _query, predicate: _predicate, stats: _stats, evaluated: _evaluated, ...shown } = segment;
  return { ...shown, error: null };
}
