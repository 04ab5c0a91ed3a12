import type { ReportKey } from "@muster/protocol/api/attributes";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { fieldsQuery } from "../api/audience/use-report-fields.js";
import { answer, api } from "../api/client.js";
import { useOrganization } from "../api/session/use-organization.js";
import { attributeName } from "../ui/text/words.js";
import { EMPTY_SCHEMA, type FilterField, type FilterSchema, type FilterTarget } from "./filter-schema.js";

/** What filters of users or accounts can be about: attributes, events and segments of the organization. */
export function useFilterSchema(target: FilterTarget): FilterSchema {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: [org, "filter-schema", target],
    queryFn: ({ signal }) => readSchema(target, client.fetchQuery(fieldsQuery(org, target)), signal),
    staleTime: 30_000,
  });
  return data ?? EMPTY_SCHEMA;
}

async function readSchema(
  target: FilterTarget,
  readFields: Promise<ReportKey[]>,
  signal: AbortSignal,
): Promise<FilterSchema> {
  const [fields, events, segments] = await Promise.all([
    readFields,
    answer(api.GET("/api/v1/search/events/bootstrap", { signal })),
    answer(api.GET("/api/v1/segments", { signal })),
  ]);
  return {
    // The attributes of the organization come before the standard fields: they are what people look for.
    fields: fields
      .filter(({ visible }) => visible)
      .sort((one, other) => Number(other.configurable) - Number(one.configurable))
      .map(({ key, type, label }): FilterField => {
        const isOfAccount = key.startsWith("account.");
        return {
          key: isOfAccount ? key.slice("account.".length) : key,
          name: attributeName(key),
          label: label === "" ? attributeName(key) : label,
          type: type === "number" ? "numeric" : type,
          owner: isOfAccount ? "account" : target,
        };
      }),
    events: [...events].sort((one, other) => other.count - one.count),
    segments: segments
      .map(({ id, name, type }) => ({
        id,
        name,
        owner: type === "accounts_segment" ? ("account" as const) : ("user" as const),
      }))
      .filter(({ owner }) => target === "user" || owner === "account"),
  };
}
