import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

export interface DeliveryState {
  connector_id: string;
  queued_messages: number;
  lag_ms: number;
  circuit: string;
  failures: number;
  last_error: string | null;
  dead_letters: number;
}

/** How the delivery to each connector stands, by the id of the connector. */
export function useDeliveryStates() {
  const { id: organization } = useOrganization();
  return useQuery({
    queryKey: [organization, "delivery", "states"],
    queryFn: async ({ signal }) => {
      const query = { per_page: 100 };
      const states = (await answer(api.GET("/api/v1/deliveries", { params: { query }, signal }))) as DeliveryState[];
      return new Map(states.map((state) => [state.connector_id, state]));
    },
    refetchInterval: 2_000,
  });
}
