import type { SubjectType } from "@muster/protocol";
import { type Static, Type } from "typebox";
import type { SegmentDraft } from "../../../audience/segment-drafts.js";

const hashAs = (name: string) => Type.Record(Type.String(), Type.Unknown(), { documentedAs: name });

export const Query = hashAs("Query");
export const Predicate = hashAs("Predicate");

/** The body of requests about a segment that is not saved. */
export const DraftBody = Type.Object({
  query: Type.Optional(Query),
  predicate: Type.Optional(Predicate),
  segment_id: Type.Optional(Type.String({ description: "A saved segment, to compare with." })),
  type: Type.Optional(Type.Enum(["users_segment", "accounts_segment"], { description: "Default: `users_segment`." })),
});

export function readDraft(body: Static<typeof DraftBody>, signal: AbortSignal): SegmentDraft {
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
