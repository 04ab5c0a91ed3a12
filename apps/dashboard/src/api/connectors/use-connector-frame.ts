import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** The address of a frame with a page of a connector. It works for a few minutes, so it is not kept. */
export function useConnectorFrame(id: string, path: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "connector-frame", id, path],
    queryFn: async () => {
      const request = { params: { path: { id } }, body: { path } };
      return (await answer(api.POST("/api/v1/{id}/frames", request))).url;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // A frame that is open must not be loaded again.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}
