import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";
import { subjectName } from "./subject-name.js";

/** What users and accounts are called, by their ids. Those that are not found are left out. */
export function useSubjectNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const { id: org } = useOrganization();
  const wanted = [...new Set(ids)].sort();
  const { data } = useQuery({
    queryKey: [org, "subject-names", wanted],
    queryFn: async ({ signal }) => {
      const body = { query: { terms: { id: wanted } }, per_page: Math.max(1, wanted.length) };
      const calls = [
        answer(api.POST("/api/v1/search/user_reports", { body, signal })),
        answer(api.POST("/api/v1/search/account_reports", { body, signal })),
      ];
      const found = (await Promise.all(calls)).flatMap((part) => part.data);
      return new Map(found.map((report) => [report.id, subjectName(report)]));
    },
    enabled: wanted.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  return data ?? NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();
