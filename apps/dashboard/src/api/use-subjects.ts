import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { answerWithHeaders, api, BRAND } from "./client.js";
import type { components } from "./schema.js";
import { useOrganization } from "./use-organization.js";

export type SubjectTarget = "user" | "account";

export type SubjectReport = { id: string } & Record<string, unknown>;

export interface SubjectQuestion {
  target: SubjectTarget;
  text: string;
  predicate: object;
  /** A field, and which end comes first. */
  sort: { key: string; direction: "asc" | "desc" };
  /** The fields that are shown. */
  fields: readonly string[];
}

const SUBJECT_PAGE = 100;

/** Users or accounts that match what somebody typed and chose, page by page, with the exact number of all. */
export function useSubjects({ target, text, predicate, sort, fields }: SubjectQuestion) {
  const { id: org } = useOrganization();
  // The address of a page may have any filter, and the server says what is wrong with it.
  const filter = predicate as components["schemas"]["Predicate"];
  const body = { target, text, predicate: filter, sort: { [sort.key]: sort.direction }, per_page: SUBJECT_PAGE };
  return useInfiniteQuery({
    queryKey: [org, "subjects", target, text, predicate, sort, fields],
    initialPageParam: undefined as components["schemas"]["SearchCursor"] | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const paging = pageParam === undefined ? {} : { search_after: pageParam };
      const { data, headers } = await answerWithHeaders(
        api.POST("/api/v1/search/subjects", { body: { ...body, include: [...fields], ...paging }, signal }),
      );
      return {
        rows: data.data as SubjectReport[],
        total: data.total,
        next: data.search_after,
        query: data.query as Record<string, unknown>,
        isIncomplete: headers.get(`${BRAND}-Incomplete`) === "true",
      };
    },
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
}
