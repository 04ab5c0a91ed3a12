import type { CatalogueEntry } from "@muster/protocol/api/catalogue";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

const PER_PAGE = 100;

const catalogueKey = (organization: string) => [organization, "catalogue"] as const;

/** All pages: with the destinations the gallery has more than one. */
async function readCatalogue(signal: AbortSignal): Promise<CatalogueEntry[]> {
  const entries: CatalogueEntry[] = [];
  for (let page = 1; ; page++) {
    const query = { page, per_page: PER_PAGE };
    const found = await answer(api.GET("/api/v1/catalogue", { params: { query }, signal }));
    entries.push(...found);
    if (found.length < PER_PAGE) return entries;
  }
}

/** The connectors that were installed or looked at before. */
export function useCatalogue() {
  const { id: organization } = useOrganization();
  return useQuery({
    queryKey: catalogueKey(organization),
    queryFn: ({ signal }) => readCatalogue(signal),
  });
}

/** One connector of the catalogue, with its manifest and readme. */
export function useCatalogueDetails(manifestUrl: string | undefined) {
  const { id: organization } = useOrganization();
  return useQuery({
    queryKey: [...catalogueKey(organization), "details", manifestUrl],
    queryFn: ({ signal }) => {
      const query = { manifest_url: manifestUrl ?? "" };
      return answer(api.GET("/api/v1/catalogue/manifest", { params: { query }, signal }));
    },
    enabled: manifestUrl !== undefined,
  });
}

/** Fetches the manifest at an address and adds it to the catalogue. The answer is the address of the manifest. */
export function useLookAtManifest() {
  const client = useQueryClient();
  const { id: organization } = useOrganization();
  return useMutation({
    mutationFn: async (url: string) => (await answer(api.POST("/api/v1/catalogue", { body: { url } }))).manifest_url,
    onSuccess: () => client.invalidateQueries({ queryKey: catalogueKey(organization) }),
  });
}
