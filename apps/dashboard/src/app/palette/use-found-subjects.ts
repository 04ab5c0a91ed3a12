import { subjectNames } from "@muster/protocol";
import type { Report } from "@muster/protocol/api/subjects";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { subjectName } from "../../api/audience/subject-name.js";
import { answer, api } from "../../api/client.js";
import { useOrganization } from "../../api/session/use-organization.js";
import type { PaletteItem } from "./palette-item.js";
import { subjectQuery } from "./subject-query.js";

const SHOWN = 5;

/** The users and accounts that a text finds, as it is typed. */
export function useFoundSubjects(text: string): {
  groups: { name: string; items: PaletteItem[] }[];
  isSearching: boolean;
} {
  const { id: org } = useOrganization();
  const navigate = useNavigate();
  const { data, isFetching } = useQuery({
    queryKey: [org, "palette", text],
    queryFn: async ({ signal }) => {
      const body = { per_page: SHOWN };
      const [users, accounts] = await Promise.all([
        answer(
          api.POST("/api/v1/search/user_reports", { body: { ...body, query: subjectQuery("user", text) }, signal }),
        ),
        answer(
          api.POST("/api/v1/search/account_reports", {
            body: { ...body, query: subjectQuery("account", text) },
            signal,
          }),
        ),
      ]);
      return { users: users.data, accounts: accounts.data };
    },
    enabled: text !== "",
    placeholderData: keepPreviousData,
  });
  if (text === "" || !data) return { groups: [], isSearching: text !== "" && isFetching };
  return {
    groups: [
      {
        name: "Users",
        items: data.users.map((user) =>
          itemOf(user, (id) => {
            void navigate({ to: "/o/$org/users/$id", params: { org, id } });
          }),
        ),
      },
      {
        name: "Accounts",
        items: data.accounts.map((account) =>
          itemOf(account, (id) => {
            void navigate({ to: "/o/$org/accounts/$id", params: { org, id } });
          }),
        ),
      },
    ],
    isSearching: isFetching,
  };
}

function itemOf(report: Report, open: (id: string) => void): PaletteItem {
  const { id } = report;
  const [, description] = subjectNames(report);
  return { id, label: subjectName(report), ...(description === undefined ? {} : { description }), run: () => open(id) };
}
