import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { answerWithHeaders, api } from "../client.js";
import { BRAND } from "../page-values.js";
import { useOrganization } from "../session/use-organization.js";
import { type SubjectQuestion, subjectsBody } from "./subjects-body.js";

/** Users or accounts that match what somebody typed and chose, page by page, with the exact number of all. */
export function useSubjects(question: SubjectQuestion) {
  const { target, text, predicate, sort, fields } = question;
  const { id: org } = useOrganization();
  return useInfiniteQuery({
    queryKey: [org, "subjects", target, text, predicate, sort, fields],
    initialPageParam: undefined as unknown,
    queryFn: async ({ pageParam, signal }) => {
      const paging = pageParam === undefined ? {} : { search_after: pageParam };
      const { data, headers } = await answerWithHeaders(
        api.POST("/api/v1/search/subjects", { body: { ...subjectsBody(question), ...paging }, signal }),
      );
      return {
        rows: data.data,
        total: data.total,
        next: data.search_after,
        query: data.query,
        isIncomplete: headers.get(`${BRAND}-Incomplete`) === "true",
      };
    },
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
}
