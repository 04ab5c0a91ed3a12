import type { OptionsQuestion } from "@muster/protocol/api/connectors";
import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../api-error.js";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** Values of the form that are not saved yet: options can depend on them. */
export type UnsavedSettings = Pick<OptionsQuestion, "settings" | "private_settings">;

/** The options that a connector offers for a setting. Those of the question before stay until the new ones are there. */
export function useOfferedOptions(
  id: string,
  path: string | undefined,
  { search, unsaved }: { search: string; unsaved: UnsavedSettings },
) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "offered-options", id, path, search, unsaved],
    queryFn: async ({ signal }) => {
      const body = { path: path ?? "", ...(search === "" ? {} : { search }), ...unsaved };
      const request = { params: { path: { id } }, body, signal };
      return (await answer(api.POST("/api/v1/{id}/options", request))).options;
    },
    enabled: path !== undefined,
    placeholderData: (before) => before,
    staleTime: 30_000,
    retry: false,
  });
}

/** Calls an endpoint that the manifest declares, such as that of a button. The answer is the connector's own. */
export async function callConnector(id: string, path: string): Promise<unknown> {
  const { data, error, response } = await api.POST("/api/v1/{id}/call", {
    params: { path: { id } },
    body: { path },
    // Connectors answer with JSON, with a text or with nothing.
    parseAs: "text",
  });
  const content = readJson(data ?? error);
  if (!response.ok) throw new ApiError(response.status, content);
  return content;
}

function readJson(content: unknown): unknown {
  if (typeof content !== "string") return content;
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}

/** A sentence in the answer of a connector, if it has one. */
export function messageIn(content: unknown): string | undefined {
  if (typeof content === "string") return content.trim() === "" || content.startsWith("<") ? undefined : content;
  if (typeof content !== "object" || content === null) return undefined;
  const { message, text, error } = content as Record<string, unknown>;
  return [message, text, error].find((part): part is string => typeof part === "string");
}
