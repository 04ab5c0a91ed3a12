import type { SubjectType } from "@muster/protocol";
import type { SearchedEvent } from "@muster/protocol/api/events";
import type { SearchAnswer } from "@muster/protocol/api/search";
import type { Report } from "@muster/protocol/api/subjects";
import { parse, parseAggregations, parseSort, type Query, type Target } from "@muster/query";
import { withOlderKeys } from "../../domain/events/older-event-keys.js";
import { readProjectCursor } from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import { type Revisions, readRevisions } from "../../storage/postgres/definitions/revisions.js";
import type { FoundRow, FoundSubject } from "../../storage/questions/asking.js";
import { isBehind } from "../../storage/questions/projection.js";
import type { Questions } from "../../storage/questions/questions.js";
import { hiddenKeys, loadAttributeTypes } from "../attributes/attribute-definitions.js";
import { loadSegments } from "../segments/known-segments.js";
import { requireBounded } from "./answer-size.js";
import { fieldFilter } from "./field-filter.js";

export interface SearchRequest {
  query: unknown;
  /** A filter beside the query: both must hold. */
  filter?: unknown;
  sort: unknown;
  page: number;
  perPage: number;
  /** Only these fields, `*` allowed. */
  include?: readonly string[];
  aggregations?: unknown;
  searchAfter?: unknown;
  /** Aborts the search, for example when the caller has disconnected. */
  signal?: AbortSignal;
  /**
   * Reads the page first, and counts all matches only when the page does not show their number. A search for words reads
   * every row, so most of these searches read the rows once instead of twice.
   */
  countsLast?: true;
}

/** An answer, and whether it is complete. It is incomplete while the question engine is being rebuilt. */
export interface SearchResult {
  answer: SearchAnswer;
  isComplete: boolean;
}

export interface SearchOptions {
  database: Database;
  questions: Questions;
  /** Adds the keys that clients of the older service read to each event. They nearly double the size of the answer. */
  olderEventKeys?: boolean;
}

/** Answers questions about users, accounts and events. */
export class Search {
  readonly #options: SearchOptions;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /** Searches, and says whether the answer is complete. */
  async find(organizationId: string, target: Target, request: SearchRequest): Promise<SearchResult> {
    const isComplete = await this.isComplete(organizationId);
    return { answer: await this.search(organizationId, target, request), isComplete };
  }

  /**
   * Whether the question engine has everything that was projected. Must be called before the question: the progress of
   * the engine only grows, so the answer is at least as complete.
   */
  async isComplete(organizationId: string): Promise<boolean> {
    const { database, questions } = this.#options;
    const [cursor, progress] = await Promise.all([
      readProjectCursor(database, organizationId),
      questions.progress(organizationId),
    ]);
    return !isBehind(progress, cursor);
  }

  async search(organizationId: string, target: Target, request: SearchRequest): Promise<SearchAnswer> {
    const { database, questions } = this.#options;
    const { perPage, searchAfter, signal } = request;
    const isWanted = request.include?.length ? fieldFilter(request.include) : undefined;
    const query = readQuery(request, target);
    const sort = parseSort(request.sort, { target });
    const aggregations = parseAggregations(request.aggregations ?? {}, { target });
    const selection = {
      target,
      query,
      attributeTypes: await loadAttributeTypes(database, organizationId),
      now: new Date(),
    };
    const page = {
      sort,
      limit: perPage,
      offset: (request.page - 1) * perPage,
      ...(searchAfter === undefined ? {} : { searchAfter }),
    };

    const reading = perPage === 0 ? Promise.resolve([]) : questions.page(organizationId, selection, page, { signal });
    const count = () => questions.count(organizationId, selection, { signal });
    const isFirstPage = searchAfter === undefined && request.page === 1;
    const counting = request.countsLast
      ? reading.then((rows) => (isFirstPage && rows.length < perPage ? rows.length : count()))
      : count();
    const [rows, total, aggregated] = await Promise.all([
      reading,
      counting,
      aggregations.length === 0 ? {} : questions.aggregate(organizationId, selection, aggregations, { signal }),
    ]);
    const last = rows.at(-1);
    const documents = await this.#documents(organizationId, target, rows);
    const data = isWanted ? keepFields(documents, isWanted) : documents;
    requireBounded(rows, data);
    return {
      data,
      pagination: {
        total,
        pages: perPage === 0 ? 0 : Math.ceil(total / perPage),
        page: request.page,
        per_page: perPage,
        ...(last ? { search_after: last.cursor } : {}),
      },
      aggregations: aggregated,
    };
  }

  /** The number of users or accounts that match a query. */
  async count(
    organizationId: string,
    subjectType: SubjectType,
    query: unknown,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<number> {
    const { database, questions } = this.#options;
    const attributeTypes = await loadAttributeTypes(database, organizationId);
    const selection = {
      target: subjectType,
      query: parse(query, { target: subjectType }),
      attributeTypes,
      now: new Date(),
    };
    return questions.count(organizationId, selection, { signal });
  }

  /** The numbers of users or accounts that match each of several queries, in one question. */
  async countEach(
    organizationId: string,
    subjectType: SubjectType,
    queries: readonly unknown[],
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<number[]> {
    const { database, questions } = this.#options;
    const target = subjectType;
    const attributeTypes = await loadAttributeTypes(database, organizationId);
    const selection = { target, query: parse({}, { target }), attributeTypes, now: new Date() };
    const aggregations = parseAggregations({ each: { filters: { filters: queries } } }, { target });
    const { each } = await questions.aggregate(organizationId, selection, aggregations, { signal });
    // The answer has the one aggregation of the question, with a bucket for each query.
    return (each as { buckets: { doc_count: number }[] }).buckets.map(({ doc_count }) => doc_count);
  }

  /** The number of users or accounts that match a query, and the newest of them. */
  async sample(
    organizationId: string,
    subjectType: SubjectType,
    query: unknown,
    perPage: number,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ) {
    const request = { query, sort: { created_at: "desc" }, page: 1, perPage, ...(signal ? { signal } : {}) };
    const { data, pagination } = await this.search(organizationId, subjectType, request);
    return { count: pagination.total, sample: data };
  }

  /** The rows of a page as the API shows them: without hidden attributes, with segments and the account of a user. */
  async #documents(organizationId: string, target: Target, rows: readonly FoundRow[]): Promise<Report[]> {
    if (target === "event") {
      // Every stored event has its id.
      const events = rows.map(({ report }) => ({ ...(report as SearchedEvent), _id: report.id }));
      return this.#options.olderEventKeys ? events.map(withOlderKeys) : events;
    }
    const revisions = await readRevisions(this.#options.database, organizationId);
    const visible = await this.#loadVisible(organizationId, target, revisions);
    if (target === "account") return rows.map((row) => visibleReport(row, visible));
    const visibleOfAccounts = await this.#loadVisible(organizationId, "account", revisions);
    return rows.map((row) => ({
      ...visibleReport(row, visible),
      // The users of an erased account follow in pages, and their documents name it until then.
      ...(row.account || row.report.account_id === undefined ? {} : { account_id: null }),
      account: row.account ? visibleReport(row.account, visibleOfAccounts) : null,
    }));
  }

  async #loadVisible(
    organizationId: string,
    subjectType: SubjectType,
    revisions: Revisions | undefined,
  ): Promise<VisibleParts> {
    const { database } = this.#options;
    const [hidden, segments] = await Promise.all([
      hiddenKeys(database, organizationId, subjectType, revisions),
      loadSegments(database, organizationId, revisions),
    ]);
    const own = segments.filter((segment) => segment.subjectType === subjectType);
    return { hiddenKeys: hidden, segmentIds: own.map(({ id }) => id) };
  }
}

/** What decides which parts of the report of a user or account the API shows. */
interface VisibleParts {
  hiddenKeys: readonly string[];
  /** The segments that exist: the question engine may still hold members of deleted ones. */
  segmentIds: readonly string[];
}

function visibleReport({ report, segmentIds }: FoundSubject, visible: VisibleParts): Report {
  // Every stored report has its id.
  const shown = { ...report } as Report;
  for (const key of visible.hiddenKeys) delete shown[key];
  const joined = new Set(segmentIds);
  shown.segment_ids = visible.segmentIds.filter((id) => joined.has(id));
  return shown;
}

function readQuery({ query, filter }: SearchRequest, target: Target): Query {
  if (filter === undefined) return parse(query, { target });
  return parse({ bool: { must: [query], filter: [filter] } }, { target });
}

function keepFields(docs: Report[], isWanted: (name: string) => boolean): Report[] {
  const kept = (doc: Report) => Object.entries(doc).filter(([key]) => key === "id" || isWanted(key));
  // The id stays, which the type of the entries does not say.
  return docs.map((doc) => Object.fromEntries(kept(doc)) as Report);
}
