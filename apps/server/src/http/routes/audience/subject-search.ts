import type { Brand } from "@muster/protocol";
import { Type } from "typebox";
import type { SubjectSearch } from "../../../audience/subject-search.js";
import { abortOnDisconnect } from "../../abort-on-disconnect.js";
import type { App } from "../../app-type.js";
import { INCOMPLETE } from "../../hooks/incomplete-answers.js";
import { anyObjectAs, anyRecordAs, anyValueAs } from "../../reference/named-schema.js";

const Body = Type.Object({
  target: Type.Enum(["user", "account"], { default: "user" }),
  text: Type.String({
    default: "",
    maxLength: 400,
    description:
      "An e-mail address, an id, an external id, an anonymous id, a domain, or beginnings of words of a name. Those that an identifier names come first.",
  }),
  predicate: Type.Optional(anyRecordAs("Predicate", { description: "A filter: it must match too." })),
  query: Type.Optional(anyRecordAs("Query", { description: "A further filter: it must match too." })),
  sort: Type.Optional(anyValueAs("Sort")),
  per_page: Type.Integer({ default: 50, minimum: 0, maximum: 1_000 }),
  search_after: Type.Optional(anyValueAs("SearchCursor", { description: "`search_after` of the page before." })),
  include: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
      maxItems: 300,
      description: "Only these fields; `*` stands for any characters.",
    }),
  ),
});

const Answer = Type.Object({
  data: Type.Array(anyObjectAs("UserReport", { description: "The report of a user, or of an account." })),
  total: Type.Integer({ description: "How many match, exactly." }),
  search_after: Type.Optional(anyValueAs("SearchCursor")),
  query: anyRecordAs("Query", { description: "The same selection as a query, for extracts, exports and segments." }),
});

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
        body: Body,
        response: { 200: Answer },
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
