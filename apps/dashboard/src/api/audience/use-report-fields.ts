import type { SubjectType } from "@muster/protocol";
import { useQuery } from "@tanstack/react-query";
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

/** The fields that reports of users or accounts have and that are not hidden. */
export function useReportFields(target: SubjectType) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "report-fields", target],
    queryFn: async ({ signal }): Promise<ReportField[]> => {
      const path = target === "user" ? "/api/v1/users/schema" : "/api/v1/accounts/schema";
      const found = await answer(api.GET(path, { signal }));
      return found
        .filter(({ visible }) => visible)
        .map(({ key, type, label, configurable }) => ({ key, type, label, isCustom: configurable }));
    },
    staleTime: 30_000,
  });
}
