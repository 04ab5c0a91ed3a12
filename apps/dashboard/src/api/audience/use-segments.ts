import type { SubjectType } from "@muster/protocol";
import { DAY_MS } from "@muster/protocol";
import type { Segment, SegmentChange, SegmentDraft, SegmentImpact } from "@muster/protocol/api/segments";
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api, changeObject, readObject } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** What the API is asked about a segment that is not saved. */
export type EditedSegment = Required<Pick<SegmentDraft, "query" | "predicate" | "type">> &
  Pick<SegmentDraft, "segment_id">;

const LIVE_MS = 2_000;

export function subjectTypeOf({ type }: Pick<Segment, "type">): SubjectType {
  return type === "accounts_segment" ? "account" : "user";
}

/** How many members a segment has. */
export function sizeOf({ stats }: Pick<Segment, "stats">): number {
  return stats.users ?? stats.accounts ?? 0;
}

/** The segments of the organization. A screen that is about them asks again and again. */
export function useSegments({ isLive = true }: { isLive?: boolean } = {}) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "segments"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/segments", { signal })),
    refetchInterval: isLive && LIVE_MS,
  });
}

export function useSegment(id: string | undefined) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "segment", id],
    queryFn: ({ signal }) => readObject<Segment>(id ?? "", signal),
    enabled: id !== undefined,
    refetchInterval: LIVE_MS,
  });
}

/** The connectors and segments that use each segment, by its id. */
export function useSegmentUses() {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "segment-uses"],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/segments/uses", { params: { query: { page: 1, per_page: 1_000 } }, signal })),
    staleTime: 10_000,
  });
}

export function useSegmentUse(id: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "segment-uses", id],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/{id}/uses", { params: { path: { id } }, signal })),
  });
}

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

/** The sizes of all segments in the last days. */
export function useSegmentCharts(days: number, { isEnabled }: { isEnabled: boolean }) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "segment-charts", days],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/charts/segments", { params: { query: { from: daysAgo(days), interval: "day" } }, signal }),
      ),
    refetchInterval: 15_000,
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  });
}

export function useSegmentChart(id: string, days: number) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "segment-chart", id, days],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/charts/segments/{id}", {
          params: { path: { id }, query: { from: daysAgo(days), interval: "day" } },
          signal,
        }),
      ),
    refetchInterval: 10_000,
  });
}

/** How many a draft selects, as a question. */
export function segmentCountQuery(org: string, draft: EditedSegment) {
  return queryOptions({
    queryKey: [org, "segment-count", draft],
    queryFn: ({ signal }) => answer(api.POST("/api/v1/segments/count", { body: draft, signal })),
  });
}

/** How many a draft selects. The old number stays until the new one is there. */
export function useSegmentCount(draft: EditedSegment) {
  const { id: org } = useOrganization();
  return useQuery({
    ...segmentCountQuery(org, draft),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  });
}

/** Whom a draft selects, as a question. */
export function segmentPreviewQuery(org: string, draft: EditedSegment) {
  return queryOptions({
    queryKey: [org, "segment-preview", draft],
    queryFn: ({ signal }) => answer(api.POST("/api/v1/segments/preview", { body: draft, signal })),
  });
}

/** Whom a draft selects, and who would enter and leave. While somebody types, it is asked after the count, which matters more. */
export function useSegmentPreview(draft: EditedSegment, { isEnabled }: { isEnabled: boolean }) {
  const { id: org } = useOrganization();
  return useQuery({
    ...segmentPreviewQuery(org, draft),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
    enabled: isEnabled,
  });
}

/** The query, the predicate and the sentence of a draft. */
export function useConverted(draft: EditedSegment, { isEnabled }: { isEnabled: boolean }) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "segment-convert", draft],
    queryFn: ({ signal }) => convertDraft(draft, signal),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
    staleTime: 60_000,
  });
}

export function convertDraft(draft: EditedSegment, signal?: AbortSignal) {
  return answer(api.POST("/api/v1/segments/convert", { body: draft, ...(signal ? { signal } : {}) }));
}

/** What saving a draft would do. */
export function readImpact(draft: EditedSegment, signal?: AbortSignal): Promise<SegmentImpact> {
  return answer(api.POST("/api/v1/segments/impact", { body: draft, ...(signal ? { signal } : {}) }));
}

export function useSegmentImpact(draft: EditedSegment, { isEnabled }: { isEnabled: boolean }) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "segment-impact", draft],
    queryFn: ({ signal }) => readImpact(draft, signal),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  });
}

/** Creates, changes and deletes segments. */
export function useSegmentChanges() {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: [org] });
  const create = useMutation({
    mutationFn: ({ type, ...body }: { name: string } & Pick<EditedSegment, "query" | "predicate" | "type">) =>
      answer(
        type === "accounts_segment"
          ? api.POST("/api/v1/accounts_segments", { body: body })
          : api.POST("/api/v1/users_segments", { body: body }),
      ),
    onSettled,
  });
  const update = useMutation({
    mutationFn: ({ id, ...change }: SegmentChange & { id: string }) => changeObject<Segment>(id, change),
    // The answer is shown at once. What else depends on the segment follows.
    onSettled: () => void onSettled(),
  });
  const remove = useMutation({
    mutationFn: (id: string) => answer(api.DELETE("/api/v1/{id}", { params: { path: { id } } })),
    onSettled,
  });
  return { create, update, remove };
}
