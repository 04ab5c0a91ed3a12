import type { Brand } from "@muster/protocol";
import { SEARCH_API } from "@muster/protocol/api/search";
import type { SubjectSearch } from "../../../audience/subjects/subject-search.js";
import { abortOnDisconnect } from "../../abort-on-disconnect.js";
import type { App } from "../../app-type.js";
import { INCOMPLETE } from "../../hooks/incomplete-answers.js";

export interface SubjectSearchRoutesOptions {
  subjectSearch: SubjectSearch;
  brand: Brand;
}

/** The search box of the lists of users and accounts. */
export function subjectSearchRoutes(app: App, { subjectSearch, brand }: SubjectSearchRoutesOptions): void {
  app.post(
    "/search/subjects",
    {
      config: { access: "connector", reads: true },
      schema: {
        tags: ["search"],
        summary: "Find users or accounts by what somebody types, with a filter, an order and pages",
        description: INCOMPLETE,
        ...SEARCH_API["POST /api/v1/search/subjects"],
      },
    },
    async ({ caller, body }, reply) => {
      const { target, text, predicate = {}, query, sort, include } = body;
      const { answer, isComplete } = await subjectSearch.find(caller.organization.id, target, {
        text,
        predicate,
        query,
        sort: sort ?? { created_at: "desc" },
        perPage: body.per_page,
        include,
        signal: abortOnDisconnect(reply),
        ...(body.search_after === undefined ? {} : { searchAfter: body.search_after }),
      });
      if (!isComplete) reply.header(brand.headers.incomplete, "true");
      return answer;
    },
  );
}
