import type { NewWriteKey, WriteKeyChange } from "@muster/protocol/api/write-keys";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

const keyOf = (organization: string, connectorId: string) => [organization, "write-keys", connectorId];

/** The write keys of a connector, the oldest first. */
export function useWriteKeys(connectorId: string) {
  const { id: organization } = useOrganization();
  return useQuery({
    queryKey: keyOf(organization, connectorId),
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/{id}/write_keys", {
          params: { path: { id: connectorId }, query: { per_page: 100 } },
          signal,
        }),
      ),
    // Somebody who tries a key waits for the time of its last use.
    refetchInterval: 2_000,
  });
}

/** What changes write keys. Each shows its result in the list at once. */
export function useWriteKeyChanges(connectorId: string) {
  const { id: organization } = useOrganization();
  const queries = useQueryClient();
  const refresh = async <Result>(result: Result): Promise<Result> => {
    await queries.invalidateQueries({ queryKey: keyOf(organization, connectorId) });
    return result;
  };
  const pathOf = (keyId: string) => ({ path: { id: connectorId, key_id: keyId } });
  return {
    create: (body: NewWriteKey) =>
      answer(api.POST("/api/v1/{id}/write_keys", { params: { path: { id: connectorId } }, body })).then(refresh),
    update: (keyId: string, body: WriteKeyChange) =>
      answer(api.PUT("/api/v1/{id}/write_keys/{key_id}", { params: pathOf(keyId), body })).then(refresh),
    roll: (keyId: string) =>
      answer(api.POST("/api/v1/{id}/write_keys/{key_id}/roll", { params: pathOf(keyId) })).then(refresh),
    remove: (keyId: string) =>
      answer(api.DELETE("/api/v1/{id}/write_keys/{key_id}", { params: pathOf(keyId) })).then(refresh),
  };
}
