import type { Connector } from "@muster/protocol/api/connectors";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api, changeObject, readObject } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** When which action of a destination runs, and where its fields get their values. */
export interface Mapping {
  id: string;
  name: string;
  action: string;
  enabled: boolean;
  trigger: string;
  fields: Record<string, unknown>;
}

export interface ActionField {
  key: string;
  label: string;
  description: string;
  type: string;
  required: unknown;
  choices?: { value: string | number; label: string }[];
  isDynamic: boolean;
  isHidden: boolean;
}

export interface DestinationAction {
  key: string;
  title: string;
  description: string;
  trigger: string;
  fields: ActionField[];
  /** The values that a new mapping begins with. */
  startingFields: Record<string, unknown>;
  /** Whether it adds, updates or removes what it finds at the service. */
  syncMode?: { label: string; description: string; choices: { value: string; label: string }[] };
  /** What the package would do at the service when a mapping is saved, and Muster does not do. */
  stepOnSave?: string;
}

/** What a mapping makes of one event of a user. */
export interface MappedPayload {
  mapping: string;
  event: string;
  isTriggered: boolean;
  payload?: Record<string, unknown>;
  problem?: string;
}

/** The field of a mapping that holds its sync mode. */
export const SYNC_MODE = "__segment_internal_sync_mode";

interface MappingForm {
  title: string;
  actions: DestinationAction[];
}

async function call<Answer>(connectorId: string, path: string, body: object, signal: AbortSignal): Promise<Answer> {
  const request = { params: { path: { id: connectorId } }, body: { path, body: { ...body } }, signal };
  // The answers of a destination have the types above.
  return (await answer(api.POST("/api/v1/{id}/call", request))) as Answer;
}

/** The actions of a destination, with their fields. */
export function useMappingForm(connectorId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "connector", connectorId, "mapping-form"],
    queryFn: ({ signal }) => call<MappingForm>(connectorId, "/form", {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The stored mappings; undefined for people who may not see private settings. */
export function useMappings(connectorId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "connector", connectorId, "mappings"],
    queryFn: async ({ signal }) => {
      const { private_settings: settings } = await readObject<Connector>(connectorId, signal);
      return settings ? { mappings: (settings.mappings ?? []) as Mapping[] } : { mappings: undefined };
    },
  });
}

export function useSaveMappings(connectorId: string) {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (mappings: readonly Mapping[]) =>
      changeObject(connectorId, { private_settings: { mappings: [...mappings] } }),
    onSuccess: () => client.invalidateQueries({ queryKey: [org, "connector", connectorId] }),
  });
}

/** The payloads that a mapping makes of a user's events, and again whenever the mapping changes. */
export function usePayloads(connectorId: string, mapping: Mapping | undefined, user: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "mapping-payloads", connectorId, mapping, user],
    queryFn: ({ signal }) =>
      call<{ payloads: MappedPayload[]; events: { properties?: object }[] }>(
        connectorId,
        "/preview",
        { mappings: [mapping], user },
        signal,
      ),
    enabled: mapping !== undefined && user !== "",
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
}

/** The values that the service offers for a field. */
export function useFieldChoices(connectorId: string, mapping: Mapping, field: string, isWanted: boolean) {
  const { id: org } = useOrganization();
  const { action } = mapping;
  return useQuery({
    queryKey: [org, "field-choices", connectorId, action, field],
    queryFn: ({ signal }) =>
      call<{ options: { value: string | number; label: string }[]; problem?: string }>(
        connectorId,
        "/choices",
        { action, field, fields: mapping.fields },
        signal,
      ),
    enabled: isWanted,
    staleTime: 60_000,
    retry: false,
  });
}
