import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

const PER_PAGE = 30;

const keyOf = (org: string) => [org, "do-not-merge"];

/** The decisions that two users or accounts are not merged, the latest first, page by page. */
export function useKeptApart() {
  const { id: org } = useOrganization();
  return useInfiniteQuery({
    queryKey: keyOf(org),
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      answer(api.GET("/api/v1/do_not_merge", { params: { query: { page: pageParam, per_page: PER_PAGE } }, signal })),
    getNextPageParam: (last, pages) => (last.length < PER_PAGE ? undefined : pages.length + 1),
  });
}

/** Removes a decision, so that the two can be merged again. */
export function useAllowMerge() {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(api.DELETE("/api/v1/do_not_merge/{id}", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(org) }),
  });
}
