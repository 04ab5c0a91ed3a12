import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** How the organization does: figures, records by the minute, connectors, what needs attention. It is asked again and again. */
export function useOverview() {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "overview"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/overview", { signal })),
    // While an organization is empty, somebody waits for the first record.
    refetchInterval: ({ state }) => (state.data && !state.data.intake.any ? 1_000 : 2_000),
    placeholderData: keepPreviousData,
  });
}

/** Users and accounts by day. */
export function useGrowth() {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "growth"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/overview/growth", { signal })),
    refetchInterval: 60_000,
  });
}

/** The segments that moved most in the last 24 hours. */
export function useMovingSegments() {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "moving-segments"],
    queryFn: async ({ signal }) => (await answer(api.GET("/api/v1/overview/segments", { signal }))).segments,
    refetchInterval: 10_000,
  });
}
