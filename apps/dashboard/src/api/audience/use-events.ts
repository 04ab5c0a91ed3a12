import type { Event } from "@muster/protocol/api/events";
import type { JsonObject } from "@muster/protocol/api/schema";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { answerWithHeaders, api } from "../client.js";
import { BRAND } from "../page-values.js";
import { useOrganization } from "../session/use-organization.js";
import { EVENTS_PER_PAGE, eventsBody } from "./events-body.js";

/** Stored events that a query selects, the latest first, page by page. */
export function useEvents(query: JsonObject) {
  const { id: org } = useOrganization();
  return useInfiniteQuery({
    queryKey: [org, "events", query],
    initialPageParam: undefined as unknown,
    queryFn: async ({ pageParam, signal }) => {
      const paging = pageParam === undefined ? {} : { search_after: pageParam };
      const body = { ...eventsBody(query), ...paging };
      const { data, headers } = await answerWithHeaders(api.POST("/api/v1/search/events", { body, signal }));
      return {
        // Without `include`, every field of an event is there.
        events: data.data as unknown as Event[],
        total: data.pagination.total,
        next: data.pagination.search_after,
        isIncomplete: headers.get(`${BRAND}-Incomplete`) === "true",
      };
    },
    getNextPageParam: ({ next, events }) => (events.length < EVENTS_PER_PAGE ? undefined : next),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
}
