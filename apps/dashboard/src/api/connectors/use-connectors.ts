import type { Connector, ConnectorChange } from "@muster/protocol/api/connectors";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api, changeObject, readObject } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

const REFRESH_MS = 2_000;
/** The most that a page of a list holds. */
const ALL = 1_000;

const connectorsKey = (organization: string) => [organization, "connectors"] as const;
/** Everything that is read about one connector has a key that begins so. */
const connectorKey = (organization: string, id: string) => [organization, "connector", id] as const;

/** The connectors of the organization. A screen that is about them asks again every other second. */
export function useConnectors({ enabled = true, isLive = false }: { enabled?: boolean; isLive?: boolean } = {}) {
  const { id: organization } = useOrganization();
  return useQuery({
    queryKey: connectorsKey(organization),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/connectors", { params: { query: { per_page: ALL } }, signal })),
    enabled,
    staleTime: 10_000,
    refetchInterval: isLive ? REFRESH_MS : false,
  });
}

/** One connector. Its status and settings can change at any time: connectors write them too. */
export function useConnector(id: string) {
  const { id: organization } = useOrganization();
  return useQuery({
    queryKey: connectorKey(organization, id),
    queryFn: ({ signal }) => readObject<Connector>(id, signal),
    refetchInterval: REFRESH_MS,
  });
}

/** Changes a connector. The change is shown at once and taken back when the server refuses it. */
export function useUpdateConnector(id: string) {
  const client = useQueryClient();
  const { id: organization } = useOrganization();
  const queryKey = connectorKey(organization, id);
  return useMutation({
    mutationFn: (changes: ConnectorChange) => changeObject<Connector>(id, changes),
    onMutate: async (changes) => {
      await client.cancelQueries({ queryKey, exact: true });
      const before = client.getQueryData<Connector>(queryKey);
      if (before) {
        client.setQueryData<Connector>(queryKey, {
          ...before,
          ...changes,
          settings: { ...before.settings, ...changes.settings },
          ...(before.private_settings
            ? { private_settings: { ...before.private_settings, ...changes.private_settings } }
            : {}),
        });
      }
      return before;
    },
    onError: (_error, _changes, before) => {
      if (before) client.setQueryData(queryKey, before);
    },
    onSuccess: (updated) => {
      client.setQueryData<Connector>(queryKey, (current) => ({ ...current, ...updated }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: connectorsKey(organization) }),
  });
}

export function useRemoveConnector(id: string) {
  const client = useQueryClient();
  const { id: organization } = useOrganization();
  return useMutation({
    mutationFn: () => answer(api.DELETE("/api/v1/{id}", { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: connectorsKey(organization) }),
  });
}

/** Replaces the secret. The answer has the new one, which the dashboard shows once. */
export function useReplaceSecret(id: string) {
  const client = useQueryClient();
  const { id: organization } = useOrganization();
  return useMutation({
    mutationFn: () => answer(api.POST("/api/v1/{id}/secret", { params: { path: { id } } })),
    // The addresses of its pages hold the secret.
    onSuccess: () => client.invalidateQueries({ queryKey: connectorKey(organization, id) }),
  });
}

/** Reads the manifest of a connector again. */
export function useRefreshManifest(id: string) {
  const client = useQueryClient();
  const { id: organization } = useOrganization();
  return useMutation({
    mutationFn: () => answer(api.POST("/api/v1/{id}/refresh", { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: connectorKey(organization, id) }),
  });
}

/** Creates a connector without a manifest: credentials and a write key. */
export function useCreateConnector() {
  const client = useQueryClient();
  const { id: organization } = useOrganization();
  return useMutation({
    mutationFn: (name: string) => answer(api.POST("/api/v1/connectors", { body: { name } })),
    onSuccess: () => client.invalidateQueries({ queryKey: connectorsKey(organization) }),
  });
}

export function useInstallConnector() {
  const client = useQueryClient();
  const { id: organization } = useOrganization();
  return useMutation({
    mutationFn: (url: string) => answer(api.POST("/api/v1/connectors/install", { body: { url } })),
    onSuccess: () => client.invalidateQueries({ queryKey: connectorsKey(organization) }),
  });
}

export function useConnectorReadme(id: string) {
  const { id: organization } = useOrganization();
  return useQuery({
    queryKey: [...connectorKey(organization, id), "readme"],
    queryFn: async ({ signal }) =>
      (await answer(api.GET("/api/v1/{id}/readme", { params: { path: { id } }, signal }))).readme,
    staleTime: 60_000,
  });
}

/** The addresses of a connector's pages. Only owners get them: they hold its secret. */
export function useConnectorPages(id: string, isEnabled: boolean) {
  const { id: organization } = useOrganization();
  return useQuery({
    queryKey: [...connectorKey(organization, id), "pages"],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/{id}/pages", { params: { path: { id }, query: { per_page: ALL } }, signal })),
    enabled: isEnabled,
    staleTime: 60_000,
  });
}
