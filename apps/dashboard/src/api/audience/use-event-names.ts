import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { answer, answerWithHeaders, api, BRAND } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

const PER_PAGE = 200;
const REFRESH_MS = 10_000;

export interface EventNamesRequest {
  text: string;
  order: "volume" | "name" | "last";
}

/** The names of events with their volume, page by page. */
export function useEventNames({ text, order }: EventNamesRequest) {
  const { id: org } = useOrganization();
  return useInfiniteQuery({
    queryKey: [org, "event-names", text, order],
    queryFn: async ({ pageParam, signal }) => {
      const query = { page: pageParam, per_page: PER_PAGE, order, ...(text === "" ? {} : { text }) };
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
