import type { RecentFilter } from "@muster/protocol/api/ingestion";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";
import { appendRecent, matchesFilter, type RecentList, withAllSeen } from "./recent-list.js";

const POLL_MS = 1_000;

const keyOf = (org: string, filter: RecentFilter) => [org, "recent-entries", filter] as const;

/**
 * The entries that are arriving, the newest first. When it is paused, everything that is kept is read once more: any
 * filter then finds its entries in what has arrived so far.
 */
export function useRecentEntries(filter: RecentFilter, { pausedAt }: { pausedAt: number | undefined }) {
  const live = useArriving(filter, { isPaused: pausedAt !== undefined });
  const still = useKept(pausedAt);
  if (pausedAt === undefined) return live;
  const rows = still.data?.rows.filter((row) => matchesFilter(row, filter));
  return { ...still, data: still.data && rows ? { ...still.data, rows } : live.data };
}

/** Everything that was kept when the list was paused. */
function useKept(pausedAt: number | undefined) {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  return useQuery({
    queryKey: [org, "entries-at-pause", pausedAt],
    queryFn: async ({ signal }): Promise<RecentList> => {
      const page = await answer(api.GET("/api/v1/ingestion/recent", { params: { query: {} }, signal }));
      const seen = queries.getQueriesData<RecentList>({ queryKey: [org, "recent-entries"] });
      return withAllSeen(
        appendRecent(undefined, page),
        seen.flatMap(([, list]) => list ?? []),
      );
    },
    enabled: pausedAt !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}

function useArriving(filter: RecentFilter, { isPaused }: { isPaused: boolean }) {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  return useQuery({
    queryKey: keyOf(org, filter),
    queryFn: async ({ signal }): Promise<RecentList> => {
      const before = queries.getQueryData<RecentList>(keyOf(org, filter));
      const query = { ...filter, ...(before ? { after: before.after } : {}) };
      const page = await answer(api.GET("/api/v1/ingestion/recent", { params: { query }, signal }));
      return appendRecent(before ?? seenSoFar(queries, org, filter), page);
    },
    enabled: !isPaused,
    refetchInterval: POLL_MS,
    staleTime: 0,
    // People who come back soon find what they have seen.
    gcTime: 60_000,
  });
}

/** A new filter begins with those entries of the whole list that it wants. */
function seenSoFar(queries: QueryClient, org: string, filter: RecentFilter): RecentList | undefined {
  const all = queries.getQueryData<RecentList>(keyOf(org, {}));
  return all && { ...all, rows: all.rows.filter((row) => matchesFilter(row, filter)), missed: 0, since: undefined };
}
