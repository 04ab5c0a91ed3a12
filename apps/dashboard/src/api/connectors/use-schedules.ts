import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** The recurring calls of a connector: when the next one is due, and how the last one went. */
export function useSchedules(connectorId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "connector", connectorId, "schedules"],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/{id}/schedules", { params: { path: { id: connectorId }, query: { per_page: 100 } }, signal }),
      ),
    refetchInterval: 5_000,
  });
}
