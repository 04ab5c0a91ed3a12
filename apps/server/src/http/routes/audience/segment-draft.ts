import type { SubjectType } from "@muster/protocol";
import type { SegmentDraft as DraftBody } from "@muster/protocol/api/segments";
import type { SegmentDraft } from "../../../audience/search/segment-drafts.js";

export function readDraft(body: DraftBody, signal: AbortSignal): SegmentDraft {
  const { query = {}, predicate, segment_id: segmentId, type } = body;
  return {
    query,
    subjectType: subjectTypeOf(type ?? "users_segment"),
    signal,
    ...(predicate ? { predicate } : {}),
    ...(segmentId === undefined ? {} : { segmentId }),
  };
}

export function subjectTypeOf(type: "users_segment" | "accounts_segment"): SubjectType {
  return type === "accounts_segment" ? "account" : "user";
}
