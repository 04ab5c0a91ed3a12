import type { SubjectType } from "@muster/protocol";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

const EXACT = { user: ["id", "external_id", "email"], account: ["id", "external_id", "domain"] };
const BEGINS = { user: ["email", "name"], account: ["domain", "name"] };
const FOUND = 8;

/** Users or accounts whose name or identifier begins with a text; the newest when the text is empty. */
export function useSubjectSearch(entity: SubjectType, text: string, isEnabled = true) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "subject-search", entity, text],
    queryFn: async ({ signal }) => {
      const should = [
        ...EXACT[entity].map((name) => ({ term: { [name]: text } })),
        ...BEGINS[entity].map((name) => ({ prefix: { [name]: text } })),
      ];
      const query = text === "" ? { match_all: {} } : { bool: { should, minimum_should_match: 1 } };
      const body = { query, per_page: FOUND };
      const call =
        entity === "user"
          ? api.POST("/api/v1/search/user_reports", { body, signal })
          : api.POST("/api/v1/search/account_reports", { body, signal });
      return (await answer(call)).data;
    },
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  });
}
