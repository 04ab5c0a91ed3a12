import type { EventPlanChange } from "@muster/protocol/api/events";
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, answerWithHeaders, api } from "../client.js";
import { BRAND } from "../page-values.js";
import { useOrganization } from "../session/use-organization.js";

const PER_PAGE = 200;
const REFRESH_MS = 10_000;

export interface EventNamesRequest {
  text: string;
  order: "volume" | "name" | "last";
  withHidden: boolean;
}

/** The names of events with their volume, page by page. */
export function useEventNames({ text, order, withHidden }: EventNamesRequest) {
  const { id: org } = useOrganization();
  return useInfiniteQuery({
    queryKey: [org, "event-names", text, order, withHidden],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        page: pageParam,
        per_page: PER_PAGE,
        order,
        hidden: withHidden,
        ...(text === "" ? {} : { text }),
      };
      const { data, headers } = await answerWithHeaders(api.GET("/api/v1/events/names", { params: { query }, signal }));
      return { names: data, total: Number(headers.get(`${BRAND}-Total-Count`) ?? data.length) };
    },
    initialPageParam: 1,
    getNextPageParam: ({ total }, pages) => (pages.length * PER_PAGE < total ? pages.length + 1 : undefined),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

/** The properties of the latest events with a name. */
export function useEventProperties(event: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "event-properties", event],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/events/properties", { params: { query: { event } }, signal })),
    staleTime: 10_000,
  });
}

const planKey = (org: string, event: string) => [org, "event-plan", event] as const;

/** What is planned for a name of events, and what did not follow it. */
export function useEventPlan(event: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: planKey(org, event),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/events/plan", { params: { query: { event } }, signal })),
    staleTime: 5_000,
    // A job merges names, and undoes it.
    refetchInterval: REFRESH_MS,
  });
}

export function useSaveEventPlan() {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: EventPlanChange) => answer(api.PUT("/api/v1/events/plan", { body })),
    onSuccess: (plan) => queries.setQueryData(planKey(org, plan.event), plan),
    onSettled: () => queries.invalidateQueries({ queryKey: [org, "event-names"] }),
  });
}

/** Merges one event name into another. Answers with the job that renames the stored events. */
export function useMergeEvents() {
  const invalidate = useInvalidateNames();
  return useMutation({
    mutationFn: (body: { from: string; into: string }) => answer(api.POST("/api/v1/events/merge", { body })),
    onSettled: invalidate,
  });
}

/** Undoes the merge of an event name. Answers with the job that gives the stored events their name back. */
export function useUnmergeEvent() {
  const invalidate = useInvalidateNames();
  return useMutation({
    mutationFn: (event: string) => answer(api.POST("/api/v1/events/unmerge", { body: { event } })),
    onSettled: invalidate,
  });
}

function useInvalidateNames() {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  return () =>
    Promise.all(["event-names", "event-plan"].map((noun) => queries.invalidateQueries({ queryKey: [org, noun] })));
}
