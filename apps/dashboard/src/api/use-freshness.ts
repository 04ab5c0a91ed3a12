import { useQuery } from "@tanstack/react-query";
import { send } from "./client.js";
import { useOrganization } from "./use-organization.js";

const LIVE_MS = 2_000;

/** How far what can be searched is behind what has arrived, in milliseconds; undefined when that is not known. */
export function useFreshness(): { behindMs: number | undefined; asOf: number | undefined } {
  const { id: org } = useOrganization();
  const { data, dataUpdatedAt } = useQuery({
    queryKey: [org, "freshness"],
    queryFn: async ({ signal }) => {
      const response = await send("/api/v1/overview/health", { method: "GET", signal });
      return (await response.json()) as { behind_ms: number };
    },
    refetchInterval: ({ state }) => (state.error ? false : LIVE_MS),
    retry: false,
  });
  return { behindMs: data?.behind_ms, asOf: dataUpdatedAt || undefined };
}
