import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** As many as connectors are listed. */
const ALL = 1_000;

/** How the delivery to each connector stands, by the id of the connector. */
export function useDeliveryStates() {
  const { id: organization } = useOrganization();
  return useQuery({
    queryKey: [organization, "delivery", "states"],
    queryFn: async ({ signal }) => {
      const states = await answer(api.GET("/api/v1/deliveries", { params: { query: { per_page: ALL } }, signal }));
      return new Map(states.map((state) => [state.connector_id, state]));
    },
    refetchInterval: 2_000,
  });
}
