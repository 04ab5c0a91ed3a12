import type { CatalogueEntry } from "@muster/protocol/api/catalogue";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

const PER_PAGE = 100;

/** How often the installation of the destinations is looked at while it runs. */
const LOOK_MS = 1_000;

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

const installationKey = ["destination-installation"] as const;

/** The package of destinations on the server, which only its operator may ask for. The gallery is read again when it is installed. */
export function useDestinationInstallation({ enabled }: { enabled: boolean }) {
  const client = useQueryClient();
  const { id: organization } = useOrganization();
  const query = useQuery({
    queryKey: installationKey,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/catalogue/destinations", { signal })),
    enabled,
    refetchInterval: ({ state }) => (state.data?.state === "installing" ? LOOK_MS : false),
  });
  const installed = query.data?.state === "installed" ? query.data.version : undefined;
  useEffect(() => {
    if (installed !== undefined) void client.invalidateQueries({ queryKey: catalogueKey(organization) });
  }, [client, organization, installed]);
  return query;
}

/** Starts the installation of the destinations on the server. */
export function useInstallDestinations() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answer(api.POST("/api/v1/catalogue/destinations")),
    onSuccess: (installation) => client.setQueryData(installationKey, installation),
  });
}
