import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** Whose manifest or readme names an image: an installed connector, or one of the catalogue. */
export type ImageOwner = { connectorId: string } | { manifestUrl: string };

const STALE_MS = 10 * 60_000;

/**
 * An image of a connector as a `data:` address; null when it cannot be shown. The server fetches it: this browser calls no
 * host of others.
 */
export function useConnectorImage(owner: ImageOwner, src: string | undefined) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "connector-image", owner, src],
    queryFn: async ({ signal }) => (await readImage(owner, src ?? "", signal)).image,
    enabled: src !== undefined,
    staleTime: STALE_MS,
    retry: false,
  });
}

function readImage(owner: ImageOwner, src: string, signal: AbortSignal) {
  if ("connectorId" in owner) {
    const params = { path: { id: owner.connectorId }, query: { src } };
    return answer(api.GET("/api/v1/{id}/image", { params, signal }));
  }
  const query = { manifest_url: owner.manifestUrl, src };
  return answer(api.GET("/api/v1/catalogue/image", { params: { query }, signal }));
}
