import type { ReportKey } from "@muster/protocol/api/attributes";
import type { Segment } from "@muster/protocol/api/segments";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { fieldsQuery } from "../api/audience/use-report-fields.js";
import { answer, api } from "../api/client.js";
import { useOrganization } from "../api/session/use-organization.js";
import { attributeName } from "../ui/text/words.js";
import type { FilterField, FilterSchema, FilterSegment, FilterTarget } from "./filter-schema.js";

/** What filters of users or accounts can be about: attributes, events and segments of the organization. */
export function useFilterSchema(target: FilterTarget): FilterSchema {
  const { id: org } = useOrganization();
  const fields = useQuery(fieldsQuery(org, target));
  const events = useQuery({
    queryKey: [org, "filter-schema", "events"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/search/events/bootstrap", { signal })),
    staleTime: 30_000,
  });
  const segments = useQuery({
    queryKey: [org, "filter-schema", "segments"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/segments", { signal })),
    staleTime: 30_000,
  });
  const read = useMemo(
    () => ({
      fields: filterFields(fields.data ?? [], target),
      events: (events.data ?? []).toSorted((one, other) => other.count - one.count),
      segments: filterSegments(segments.data ?? [], target),
    }),
    [fields.data, events.data, segments.data, target],
  );
  // What one request could not read leaves the rest in use.
  const failed = [fields, events, segments].filter((one) => one.isError && one.data === undefined);
  if (failed[0] === undefined) return read;
  const readAgain = () => void Promise.all(failed.map((one) => one.refetch()));
  return { ...read, problem: { error: failed[0].error, readAgain } };
}

function filterFields(fields: readonly ReportKey[], target: FilterTarget): FilterField[] {
  // The attributes of the organization come before the standard fields: they are what people look for.
  return fields
    .filter(({ visible }) => visible)
    .sort((one, other) => Number(other.configurable) - Number(one.configurable))
    .map(({ key, type, label }) => {
      const isOfAccount = key.startsWith("account.");
      return {
        key: isOfAccount ? key.slice("account.".length) : key,
        name: attributeName(key),
        label: label === "" ? attributeName(key) : label,
        type: type === "number" ? "numeric" : type,
        owner: isOfAccount ? "account" : target,
      };
    });
}

function filterSegments(segments: readonly Segment[], target: FilterTarget): FilterSegment[] {
  return segments
    .map(({ id, name, type }) => ({
      id,
      name,
      owner: type === "accounts_segment" ? ("account" as const) : ("user" as const),
    }))
    .filter(({ owner }) => target === "user" || owner === "account");
}
