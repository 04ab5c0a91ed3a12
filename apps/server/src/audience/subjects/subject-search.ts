import { isId, isStorableText, type SubjectType, typeOfId } from "@muster/protocol";
import type { SearchAnswer, SubjectSearchAnswer } from "@muster/protocol/api/search";
import { predicateToQuery } from "@muster/query";
import { claimedIdentifiers, isStorableIdentifier, STRENGTH } from "../../domain/identity/identifiers.js";
import { wordsToQuery } from "../../domain/search/words-to-query.js";
import type { Database } from "../../storage/postgres/database.js";
import { loadProfiles } from "../../storage/postgres/profiles/profiles.js";
import type { Search } from "../search/search.js";

type Json = Record<string, unknown>;

export interface SubjectSearchRequest {
  /** What somebody typed: an identifier, or the beginnings of words. */
  text: string;
  /** A filter as the builder has it; empty for none. */
  predicate: Json;
  /** A further filter in the query language. */
  query?: Json | undefined;
  sort: unknown;
  perPage: number;
  searchAfter?: unknown;
  include?: readonly string[] | undefined;
  signal?: AbortSignal;
}

export interface SubjectSearchOptions {
  database: Database;
  search: Search;
}

/**
 * Answers the search box of the lists of users and accounts. PostgreSQL finds whom an identifier belongs to, and the
 * question engine finds the beginnings of words. Those that an identifier names come first.
 */
export class SubjectSearch {
  readonly #options: SubjectSearchOptions;

  constructor(options: SubjectSearchOptions) {
    this.#options = options;
  }

  async find(
    organizationId: string,
    target: SubjectType,
    request: SubjectSearchRequest,
  ): Promise<{ answer: SubjectSearchAnswer; isComplete: boolean }> {
    const { search } = this.#options;
    const isComplete = await search.isComplete(organizationId);
    const text = request.text.trim();
    const filters = filtersOf(target, request);
    const exactIds = text === "" ? [] : await this.#findByIdentifier(organizationId, target, text);
    const isExactOnly = exactIds.length > 0 && isWholeIdentifier(text);
    const named = { terms: { id: exactIds } };
    const words = text === "" ? [] : [wordsToQuery(target, text)];
    const ask = (query: Json, more: { perPage?: number; searchAfter?: unknown } = {}): Promise<SearchAnswer> => {
      const { sort, perPage, include, signal } = request;
      const wanted = { query, sort, page: 1, perPage, countsLast: true as const, ...more };
      return search.search(organizationId, target, {
        ...wanted,
        ...(include ? { include } : {}),
        ...(signal ? { signal } : {}),
      });
    };
    const paging = request.searchAfter === undefined ? {} : { searchAfter: request.searchAfter };
    if (exactIds.length === 0) {
      const query = allOf([...filters, ...words]);
      return { answer: answerOf(await ask(query, paging), query, request.perPage), isComplete };
    }
    const first = ask(allOf([...filters, named]), { perPage: request.searchAfter === undefined ? exactIds.length : 0 });
    if (isExactOnly) {
      const { data, pagination } = await first;
      return { answer: { data, total: pagination.total, query: allOf([...filters, named]) }, isComplete };
    }
    const others = ask({ bool: { must: [...filters, ...words], must_not: [named] } }, paging);
    const [exact, rest] = await Promise.all([first, others]);
    const query = allOf([...filters, { bool: { should: [named, ...words], minimum_should_match: 1 } }]);
    const answer = answerOf(rest, query, request.perPage);
    return {
      answer: { ...answer, data: [...exact.data, ...answer.data], total: exact.pagination.total + answer.total },
      isComplete,
    };
  }

  /** The ids of those that have the text as an identifier or as their id, now or before a merge. */
  async #findByIdentifier(organizationId: string, target: SubjectType, text: string): Promise<string[]> {
    if (!isStorableText(text) || !isStorableIdentifier(text)) return [];
    const ids = isId(text) && typeOfId(text) === target ? [text] : [];
    const identifiers = STRENGTH[target].flatMap((kind) => claimedIdentifiers(target, { [kind]: text }));
    const found = await loadProfiles(this.#options.database, target, organizationId, { ids, identifiers });
    return [...new Set(found.map(({ profile }) => profile.id))];
  }
}

function filtersOf(target: SubjectType, { predicate, query }: SubjectSearchRequest): Json[] {
  return [
    // The type of the function covers every form of the language; a predicate becomes an object.
    ...(Object.keys(predicate).length > 0 ? [predicateToQuery(predicate, { target }) as Json] : []),
    ...(query && Object.keys(query).length > 0 ? [query] : []),
  ];
}

/** Whether somebody who types this looks for one subject and not for words. */
function isWholeIdentifier(text: string): boolean {
  return text.includes("@") || isId(text);
}

function allOf(queries: readonly Json[]): Json {
  if (queries.length === 0) return { match_all: {} };
  return queries.length === 1 ? queries[0]! : { bool: { must: queries } };
}

function answerOf({ data, pagination }: SearchAnswer, query: Json, perPage: number): SubjectSearchAnswer {
  const { total, search_after } = pagination;
  return {
    data,
    total,
    ...(search_after !== undefined && data.length === perPage ? { search_after } : {}),
    query,
  };
}
