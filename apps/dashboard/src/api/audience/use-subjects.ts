import type { SubjectType } from "@muster/protocol";
import type { JsonObject } from "@muster/protocol/api/schema";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { answerWithHeaders, api } from "../client.js";
import { BRAND } from "../page-values.js";
import { useOrganization } from "../session/use-organization.js";

export interface SubjectQuestion {
  target: SubjectType;
  text: string;
  predicate: JsonObject;
  /** A field, and which end comes first. */
  sort: { key: string; direction: "asc" | "desc" };
  /** The fields that are shown. */
  fields: readonly string[];
}

const SUBJECT_PAGE = 100;

/** Users or accounts that match what somebody typed and chose, page by page, with the exact number of all. */
export function useSubjects({ target, text, predicate, sort, fields }: SubjectQuestion) {
  const { id: org } = useOrganization();
  const body = { target, text, predicate, sort: { [sort.key]: sort.direction }, per_page: SUBJECT_PAGE };
  return useInfiniteQuery({
    queryKey: [org, "subjects", target, text, predicate, sort, fields],
    initialPageParam: undefined as unknown,
    queryFn: async ({ pageParam, signal }) => {
      const paging = pageParam === undefined ? {} : { search_after: pageParam };
      const { data, headers } = await answerWithHeaders(
        api.POST("/api/v1/search/subjects", { body: { ...body, include: [...fields], ...paging }, signal }),
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
