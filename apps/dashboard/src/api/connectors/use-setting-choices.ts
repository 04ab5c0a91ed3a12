import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** What the settings of connectors choose from: attributes and events of the organization. */

const STALE_MS = 30_000;

/** The keys of attributes, as reports have them. */
export function useAttributeKeys(subject: "user" | "account") {
  const { id: organization } = useOrganization();
  return useQuery({
    queryKey: [organization, "attribute-keys", subject],
    queryFn: async ({ signal }) => {
      const path = subject === "user" ? "/api/v1/users/schema" : "/api/v1/accounts/schema";
      const fields = await answer(api.GET(path, { signal }));
      return fields.map(({ key }) => key);
    },
    staleTime: STALE_MS,
  });
}

export function useEventChoices() {
  const { id: organization } = useOrganization();
  return useQuery({
    queryKey: [organization, "event-choices"],
    queryFn: async ({ signal }) => {
      const events = await answer(api.GET("/api/v1/search/event/bootstrap", { signal }));
      return events.map(({ name }) => name);
    },
    staleTime: STALE_MS,
  });
}
