import type { TimelineItem } from "@muster/protocol/api/history";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";
import { subjectKey } from "./use-subject.js";

export type TimelineKind = TimelineItem["kind"];

export interface TimelineFilter {
  /** Comma-separated; empty for all. */
  kinds: string;
  /** Only events of this name; empty for all. */
  name: string;
}

const PAGE_SIZE = 50;
const LIVE_SIZE = 200;
const LIVE_MS = 1_500;
// Deliveries are stored some seconds after they were made, so the live part begins before the newest item.
const OVERLAP_MS = 120_000;
const YOUNG_MS = 20_000;

function readPage(
  id: string,
  { kinds, name }: TimelineFilter,
  more: { cursor?: string; after?: string; per_page: number },
  signal: AbortSignal,
) {
  const filter = { ...(kinds ? { kinds } : {}), ...(name ? { name } : {}) };
  return answer(api.GET("/api/v1/{id}/timeline", { params: { path: { id }, query: { ...filter, ...more } }, signal }));
}

/** The timeline page by page, and what has happened since it was opened. */
export function useTimeline(id: string, filter: TimelineFilter) {
  const { id: org } = useOrganization();
  const key = [...subjectKey(org, id), "timeline", filter.kinds, filter.name];
  const pages = useInfiniteQuery({
    queryKey: [...key, "pages"],
    queryFn: ({ pageParam, signal }) =>
      readPage(id, filter, { per_page: PAGE_SIZE, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next ?? undefined,
    // The live part below keeps it up to date.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const newest = pages.data?.pages[0]?.items[0]?.at;
  const after = new Date(newest === undefined ? 0 : Date.parse(newest) - OVERLAP_MS).toISOString();
  const live = useQuery({
    queryKey: [...key, "live", after],
    queryFn: ({ signal }) => readPage(id, filter, { per_page: LIVE_SIZE, after }, signal),
    enabled: pages.isSuccess,
    refetchInterval: LIVE_MS,
  });
  return { pages, live };
}

export type DeliveryItem = Extract<TimelineItem, { kind: "delivery" }>;

/** A message as it was sent, and the answer. Only a few messages a minute are kept, for a day. */
export function useKeptMessage({ connector_id, notification_id, message_id, at }: DeliveryItem) {
  const { id: org } = useOrganization();
  // Messages are stored some seconds after they were sent.
  const isYoung = () => Date.now() - Date.parse(at) < YOUNG_MS;
  return useQuery({
    queryKey: [org, "kept-message", notification_id, message_id],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/{id}/delivery/messages/{notification_id}/{message_id}", {
          params: { path: { id: connector_id, notification_id, message_id } },
          signal,
        }),
      ),
    staleTime: 60_000,
    retry: (count) => count < 5 && isYoung(),
    retryDelay: 1_000,
  });
}
