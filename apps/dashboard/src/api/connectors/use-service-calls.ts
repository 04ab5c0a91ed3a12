import type { FigureRange } from "@muster/protocol/api/deliveries";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** How much a connector uses the API of its service, as it reports. */
export function useServiceCalls(connectorId: string, range: FigureRange) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "connector", connectorId, "service-calls", range],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/{id}/metrics", { params: { path: { id: connectorId }, query: { range } }, signal })),
    refetchInterval: range === "hour" ? 5_000 : 30_000,
    placeholderData: keepPreviousData,
  });
}
