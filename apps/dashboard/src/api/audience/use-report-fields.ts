import type { SubjectType } from "@muster/protocol";
import type { ReportKey } from "@muster/protocol/api/attributes";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

export interface ReportField {
  key: string;
  type: string;
  /** How people call it; empty when they call it by its name. */
  label: string;
  /** Whether it is an attribute of the organization, and not one that every report has. */
  isCustom: boolean;
}

/** Every field of users or accounts. Lists and filters share the answer. */
export function fieldsQuery(org: string, target: SubjectType) {
  return queryOptions({
    queryKey: [org, "filter-schema", target, "fields"],
    queryFn: ({ signal }) =>
      answer(api.GET(target === "user" ? "/api/v1/users/schema" : "/api/v1/accounts/schema", { signal })),
    staleTime: 30_000,
  });
}

/** The fields that reports of users or accounts have and that are not hidden. */
export function useReportFields(target: SubjectType) {
  const { id: org } = useOrganization();
  return useQuery({ ...fieldsQuery(org, target), select: shownFields });
}

function shownFields(fields: readonly ReportKey[]): ReportField[] {
  return fields
    .filter(({ visible }) => visible)
    .map(({ key, type, label, configurable }) => ({ key, type, label, isCustom: configurable }));
}
