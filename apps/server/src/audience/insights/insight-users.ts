import { Refusal } from "@muster/protocol";
import type {
  InsightNumber,
  InsightQuestion,
  InsightSegmentRequest,
  InsightUsersAnswer,
  InsightUsersRequest,
} from "@muster/protocol/api/insights";
import type { Segment } from "@muster/protocol/api/segments";
import { LIMITS, parseInsightUsers, type UsersPage } from "@muster/query";
import type { Database } from "../../storage/postgres/database.js";
import type { AskOptions } from "../../storage/questions/asking.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributeTypes } from "../attributes/attribute-definitions.js";
import type { Search } from "../search/search.js";
import type { Segments } from "../segments/segments.js";

export interface InsightUsersOptions {
  database: Database;
  questions: Questions;
  search: Search;
  segments: Pick<Segments, "create">;
}

/** Who is behind a number of an insight. */
export class InsightUsers {
  readonly #options: InsightUsersOptions;

  constructor(options: InsightUsersOptions) {
    this.#options = options;
  }

  /** A page of the users, in the order of their ids. */
  async list(
    organizationId: string,
    { question, number = {}, after, per_page }: InsightUsersRequest,
    options: AskOptions = {},
  ): Promise<InsightUsersAnswer> {
    const ids = await this.#ids(organizationId, question, number, { after, limit: per_page + 1 }, options);
    const shown = ids.slice(0, per_page);
    if (shown.length === 0) return { users: [], next: null };
    const { data } = await this.#options.search.search(organizationId, "user", {
      query: { terms: { id: shown } },
      sort: { id: "asc" },
      page: 1,
      perPage: shown.length,
      countsLast: true,
      ...(options.signal ? { signal: options.signal } : {}),
    });
    return { users: data, next: ids.length > per_page ? shown.at(-1)! : null };
  }

  /**
   * Makes a segment of the users who are behind the number now. The query language has no sequences of events, so the
   * segment names the users, and it does not change when others drop out later.
   */
  async makeSegment(
    organizationId: string,
    { question, number = {}, name }: InsightSegmentRequest,
    { who, ...options }: AskOptions & { who: string },
  ): Promise<Segment> {
    const limit = LIMITS.listLength;
    const ids = await this.#ids(organizationId, question, number, { limit: limit + 1 }, options);
    if (ids.length === 0) throw new Refusal("invalid_parameter", "There is no user behind this number.");
    if (ids.length > limit) {
      throw new Refusal(
        "invalid_parameter",
        `A segment can name ${limit.toLocaleString("en")} users at most, and there are more behind this number: take less time, or one value of a breakdown.`,
      );
    }
    const definition = { name, query: { terms: { id: ids } }, predicate: {} };
    return this.#options.segments.create(organizationId, "user", definition, { who });
  }

  async #ids(
    organizationId: string,
    question: InsightQuestion,
    number: InsightNumber,
    page: UsersPage,
    options: AskOptions,
  ): Promise<string[]> {
    const { database, questions } = this.#options;
    const context = { attributeTypes: await loadAttributeTypes(database, organizationId), now: new Date() };
    const who = parseInsightUsers(question, number, context);
    return questions.insightUsers(organizationId, who, page, context, options);
  }
}
