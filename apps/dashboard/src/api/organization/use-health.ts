import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** How the organization does, in one sentence, and how far searches are behind, for `Freshness`. Every screen shows it. */
export function useHealth() {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "health"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/overview/health", { signal })),
    refetchInterval: 2_000,
  });
}
