import type { Organization } from "@muster/protocol/api/organizations";
import { useQuery } from "@tanstack/react-query";
import { readObject } from "../client.js";
import { useOrganization } from "./use-organization.js";

/** The host by which connectors know the organization; empty until it is read. */
export function useOrganizationHost(): string {
  const { id } = useOrganization();
  const { data } = useQuery({
    queryKey: [id, "organization"],
    queryFn: ({ signal }) => readObject<Organization>(id, signal),
    staleTime: 60_000,
  });
  return data ? new URL(data.url).host : "";
}
