import type { ListedPlatform, PlatformChange } from "@muster/protocol/api/platforms";
import type { Settings } from "@muster/protocol/api/settings";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

export function usePlatforms() {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "platforms"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/platforms", { params: { query: { per_page: 1_000 } }, signal })),
    // The time of the last record is live.
    refetchInterval: 2_000,
  });
}

export function useSnippet(platformId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "snippet", platformId],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/{id}/snippet", { params: { path: { id: platformId } }, signal })),
  });
}

export function useDeployments(platformId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "deployments", platformId],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/{id}/deployments", {
          params: { path: { id: platformId }, query: { per_page: 1_000 } },
          signal,
        }),
      ),
  });
}

/** Creates a platform. */
export function useCreatePlatform() {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; domains: string[] }) => answer(api.POST("/api/v1/platforms", { body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [org, "platforms"] }),
  });
}

/** What changes platforms and deployments. Each shows its result in the lists at once. */
export function usePlatformChanges() {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  const refresh = async <Result>(result: Result): Promise<Result> => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: [org, "platforms"] }),
      queries.invalidateQueries({ queryKey: [org, "deployments"] }),
    ]);
    return result;
  };
  return {
    update: async (id: string, changes: PlatformChange) => {
      queries.setQueryData<ListedPlatform[]>([org, "platforms"], (before) =>
        before?.map((platform) => (platform.id === id ? withChanges(platform, changes) : platform)),
      );
      try {
        return await answer(api.PUT("/api/v1/{id}", { params: { path: { id } }, body: { ...changes } }));
      } finally {
        await refresh(undefined);
      }
    },
    remove: (id: string) => answer(api.DELETE("/api/v1/{id}", { params: { path: { id } } })).then(refresh),
    deploy: (platformId: string, connectorId: string, settings: Settings) =>
      answer(
        api.POST("/api/v1/{id}/deployments", {
          params: { path: { id: platformId } },
          body: { connector_id: connectorId, settings },
        }),
      ).then(refresh),
    changeDeployment: (id: string, settings: Settings) =>
      answer(api.PUT("/api/v1/{id}", { params: { path: { id } }, body: { settings } })).then(refresh),
  };
}

function withChanges(platform: ListedPlatform, { settings, ...changes }: PlatformChange): ListedPlatform {
  return { ...platform, ...changes, settings: { ...platform.settings, ...settings } };
}
