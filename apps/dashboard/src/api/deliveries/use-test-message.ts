import { useMutation, useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";
import { useRefreshDeliveries } from "./use-deliveries.js";

/** What a connector would be sent about somebody; empty: about somebody whom the server chooses. */
export function useSampleMessage(connectorId: string, entityId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "delivery", connectorId, "sample", entityId],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/{id}/delivery/sample", {
          params: { path: { id: connectorId }, query: entityId === "" ? {} : { entity_id: entityId } },
          signal,
        }),
      ),
    retry: false,
  });
}

/** Sends a connector one message about somebody now. */
export function useSendTest(connectorId: string) {
  const refresh = useRefreshDeliveries();
  return useMutation({
    mutationFn: (entityId: string) =>
      answer(
        api.POST("/api/v1/{id}/delivery/test", {
          params: { path: { id: connectorId } },
          body: { entity_id: entityId },
        }),
      ),
    onSuccess: refresh,
  });
}
