import type { SubjectType } from "@muster/protocol";
import type { Connector } from "@muster/protocol/api/connectors";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answer, api, changeObject, readObject } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

export interface ScriptAction {
  kind: "traits" | "track" | "alias" | "unalias";
  subject: { user?: Record<string, string>; account?: Record<string, string> };
  attributes?: Record<string, unknown>;
  event?: string;
  properties?: Record<string, unknown>;
  body?: Record<string, string>;
}

/** What a script would do for one user or account. */
export interface ScriptPreview {
  actions: ScriptAction[];
  differences: { attribute: string; before: unknown; after: unknown }[];
  problems: string[];
  logs: string[];
  error: string | null;
  line: number | null;
  time_ms: number;
}

interface Named {
  id: string;
  name: string;
}

/** What a script would do for many. */
export interface ScriptTrial {
  found: number;
  tried: number;
  changed: number;
  failed: number;
  attributes: { attribute: string; count: number; examples: (Named & { before: unknown; after: unknown })[] }[];
  events: { event: string; count: number; subjects: number }[];
  errors: { error: string; line: number | null; count: number; examples: Named[] }[];
  time_ms: number;
}

/** Calls an endpoint of the connector. The answers of a processor have the types above. */
async function callConnector<Answer>(
  connectorId: string,
  path: string,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Answer> {
  const params = { path: { id: connectorId } };
  return (await answer(api.POST("/api/v1/{id}/call", { params, body: { path, body }, signal }))) as Answer;
}

/** Runs the code for one user or account, and again whenever the code changes. Runs that are outdated are cancelled. */
export function useScriptPreview(
  connectorId: string,
  { entity, identifier, code }: { entity: SubjectType; identifier: string; code: string },
) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "processor", connectorId, "preview", entity, identifier, code],
    queryFn: ({ signal }) =>
      callConnector<ScriptPreview>(connectorId, "/preview", { entity, identifier, code }, signal),
    enabled: identifier !== "",
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 60_000,
    retry: false,
    refetchOnWindowFocus: false,
  });
}

/** Runs the code for fifty users or accounts, of a segment or of all. */
export function tryScript(
  connectorId: string,
  body: { entity: SubjectType; code: string; segment_id?: string },
  signal: AbortSignal,
): Promise<ScriptTrial> {
  return callConnector<ScriptTrial>(connectorId, "/try", body, signal);
}

/** The code of a processor. It is undefined for people who may not see private settings. */
export function useProcessorSettings(connectorId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "connector", connectorId, "code"],
    queryFn: async ({ signal }) => {
      const { name, private_settings: settings } = await readObject<Connector>(connectorId, signal);
      const codeOf = (entity: SubjectType) => String(settings?.[`${entity}_code`] ?? "");
      return { name, code: settings ? { user: codeOf("user"), account: codeOf("account") } : undefined };
    },
  });
}

export async function saveScript(connectorId: string, entity: SubjectType, code: string): Promise<void> {
  await changeObject(connectorId, { private_settings: { [`${entity}_code`]: code } });
}
