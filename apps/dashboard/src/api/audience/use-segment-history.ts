import type { Segment } from "@muster/protocol/api/segments";
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";
import type { EditedSegment } from "./use-segments.js";

const LIVE_MS = 5_000;

/** Who entered and left a segment, page by page. */
export function useSegmentMoves(id: string, action: "entered" | "left" | undefined) {
  const { id: org } = useOrganization();
  return useInfiniteQuery({
    queryKey: [org, "segment-moves", id, action],
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET("/api/v1/{id}/moves", {
          params: {
            path: { id },
            query: { ...(action ? { action } : {}), ...(pageParam === null ? {} : { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: LIVE_MS,
  });
}

/** Who was in a segment at a moment, or who differs now, page by page. */
export function useSegmentPast(id: string, at: string, who: "before" | "entered" | "left") {
  const { id: org } = useOrganization();
  return useInfiniteQuery({
    queryKey: [org, "segment-past", id, at, who],
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET("/api/v1/{id}/as_of", {
          params: { path: { id }, query: { at, who, ...(pageParam === null ? {} : { after: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: at !== "",
    placeholderData: keepPreviousData,
  });
}

const VERSIONS = 50;

/** The definitions that a segment has had, the newest first. */
export function useSegmentVersions({ id, updated_at }: Pick<Segment, "id" | "updated_at">) {
  const { id: org } = useOrganization();
  return useInfiniteQuery({
    queryKey: [org, "segment-versions", id, updated_at],
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET("/api/v1/{id}/versions", {
          params: { path: { id }, query: { page: pageParam, per_page: VERSIONS } },
          signal,
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (page, pages) => (page.length < VERSIONS ? undefined : pages.length + 1),
    placeholderData: keepPreviousData,
  });
}

/** Gives a segment the query of an earlier version. */
export function useRestoreVersion(id: string) {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (number: number) =>
      answer(api.POST("/api/v1/{id}/versions/{number}/restore", { params: { path: { id, number } } })),
    onSuccess: (segment) => client.setQueryData([org, "segment", id], segment),
    onSettled: () => void client.invalidateQueries({ queryKey: [org] }),
  });
}

/** How many are left after each condition of a draft. A newer draft aborts the question. */
export function useClauseCounts(draft: EditedSegment, { isEnabled }: { isEnabled: boolean }) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "segment-clauses", draft],
    queryFn: ({ signal }) => answer(api.POST("/api/v1/segments/clauses", { body: draft, signal })),
    enabled: isEnabled,
  });
}

/** How many are in each region where segments overlap. */
export function useSegmentOverlap(ids: readonly string[]) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "segment-overlap", ids],
    queryFn: ({ signal }) => answer(api.POST("/api/v1/segments/overlap", { body: { segment_ids: [...ids] }, signal })),
    enabled: ids.length > 1,
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  });
}
