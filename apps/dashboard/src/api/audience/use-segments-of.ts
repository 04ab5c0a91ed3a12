import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** The segments of users or of accounts, to choose from. */
export function useSegmentsOf(type: "user" | "account") {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "segments", type],
    queryFn: ({ signal }) =>
      type === "user"
        ? answer(api.GET("/api/v1/users_segments", { signal }))
        : answer(api.GET("/api/v1/accounts_segments", { signal })),
    staleTime: 10_000,
  });
}
