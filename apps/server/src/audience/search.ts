import type { SubjectType } from "@muster/protocol";
import {
  type AggregationRow,
  compileAggregations,
  countStatement,
  type Entity,
  parse,
  parseAggregations,
  parseSort,
  type Query,
  type SearchRow,
  searchStatement,
} from "@muster/query";
import type { ClickHouse } from "../engines/clickhouse.js";
import { readDocuments } from "../storage/clickhouse/documents.js";
import { membershipsOf } from "../storage/clickhouse/memberships.js";
import { loadCatalog } from "../storage/postgres/catalog.js";
import type { Database } from "../storage/postgres/database.js";
import { hiddenKeys } from "../storage/postgres/definitions.js";
import { listSegments } from "../storage/postgres/segments.js";

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
}

export interface SearchAnswer {
  data: Record<string, unknown>[];
  pagination: { total: number; pages: number; page: number; per_page: number; search_after?: unknown };
  aggregations: Record<string, unknown>;
}

export interface SearchOptions {
  database: Database;
  clickhouse: ClickHouse;
}

/** Answers questions about users, accounts and events. */
export class Search {
  readonly #options: SearchOptions;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  async search(organizationId: string, entity: Entity, request: SearchRequest): Promise<SearchAnswer> {
    const { clickhouse, database } = this.#options;
    const catalog = await loadCatalog(database, organizationId);
    const options = { org: organizationId, catalog, now: new Date(), entity };
    const query = readQuery(request, entity);
    const sort = parseSort(request.sort, { entity });
    const aggregations = compileAggregations(query, parseAggregations(request.aggregations ?? {}, { entity }), options);
    const page = {
      sort,
      limit: request.perPage,
      offset: (request.page - 1) * request.perPage,
      ...(request.searchAfter === undefined ? {} : { searchAfter: request.searchAfter }),
    };
    const statement = request.perPage === 0 ? undefined : searchStatement(query, page, options);
    const count = countStatement(query, options);

    const [rows, counted, aggregated] = await Promise.all([
      statement ? clickhouse.rows<SearchRow>(statement.sql, statement.params) : [],
      clickhouse.rows<{ count: number }>(count.sql, count.params),
      this.#aggregate(aggregations),
    ]);
    const total = counted[0]?.count ?? 0;
    const last = rows.at(-1);
    return {
      data: keepFields(await this.#documents(organizationId, entity, rows), request.include),
      pagination: {
        total,
        pages: request.perPage === 0 ? 0 : Math.ceil(total / request.perPage),
        page: request.page,
        per_page: request.perPage,
        ...(last ? { search_after: JSON.parse(last.cursor) as unknown } : {}),
      },
      aggregations: aggregated,
    };
  }

  /** How many fit a query, and the first of them. */
  async sample(organizationId: string, entity: SubjectType, query: unknown, perPage: number) {
    const request = { query, sort: { created_at: "desc" }, page: 1, perPage };
    const { data, pagination } = await this.search(organizationId, entity, request);
    return { count: pagination.total, sample: data };
  }

  async #aggregate(aggregations: ReturnType<typeof compileAggregations>): Promise<Record<string, unknown>> {
    const { clickhouse } = this.#options;
    const answers = await Promise.all(
      aggregations.map(async ({ name, statements, read }) => {
        const results = await Promise.all(
          statements.map(({ sql, params }) => clickhouse.rows<AggregationRow>(sql, params)),
        );
        return [name, read(results)] as const;
      }),
    );
    return Object.fromEntries(answers);
  }

  /** Documents of a page as reports: without hidden attributes, with their segments and, of users, their account. */
  async #documents(
    organizationId: string,
    entity: Entity,
    rows: readonly SearchRow[],
  ): Promise<Record<string, unknown>[]> {
    const docs = rows.map(({ doc }) => JSON.parse(doc) as Record<string, unknown>);
    if (entity === "event") return docs.map((doc) => ({ ...doc, _id: doc.id }));
    const accounts = entity === "user" ? await this.#accountsOf(organizationId, docs) : new Map();
    const hidden = await hiddenKeys(this.#options.database, organizationId, entity);
    const memberships = await this.#segmentIds(
      organizationId,
      entity,
      rows.map(({ id }) => id),
    );
    return docs.map((doc) => {
      for (const key of hidden) delete doc[key];
      doc.segment_ids = memberships.get(String(doc.id)) ?? [];
      if (entity === "user") doc.account = accounts.get(String(doc.account_id)) ?? null;
      return doc;
    });
  }

  async #accountsOf(organizationId: string, users: readonly Record<string, unknown>[]) {
    const ids = [...new Set(users.flatMap(({ account_id }) => (typeof account_id === "string" ? [account_id] : [])))];
    const accounts = await readDocuments(this.#options.clickhouse, "account", organizationId, ids);
    const hidden = await hiddenKeys(this.#options.database, organizationId, "account");
    const memberships = await this.#segmentIds(organizationId, "account", ids);
    for (const [id, account] of accounts) {
      for (const key of hidden) delete account[key];
      account.segment_ids = memberships.get(id) ?? [];
    }
    return accounts;
  }

  async #segmentIds(
    organizationId: string,
    entity: SubjectType,
    ids: readonly string[],
  ): Promise<Map<string, string[]>> {
    const segments = await listSegments(this.#options.database, organizationId, entity);
    const segmentIds = segments.map(({ id }) => id);
    const found = await membershipsOf(this.#options.clickhouse, organizationId, segmentIds, ids);
    return new Map([...found].map(([id, memberships]) => [id, memberships.map(({ segmentId }) => segmentId)]));
  }
}

function readQuery({ query, filter }: SearchRequest, entity: Entity): Query {
  if (filter === undefined) return parse(query, { entity });
  return parse({ bool: { must: [query], filter: [filter] } }, { entity });
}

function keepFields(
  docs: Record<string, unknown>[],
  include: readonly string[] | undefined,
): Record<string, unknown>[] {
  if (!include || include.length === 0) return docs;
  const patterns = include.map((field) => new RegExp(`^${field.split("*").map(escapePattern).join(".*")}$`));
  const isWanted = (key: string) => key === "id" || patterns.some((pattern) => pattern.test(key));
  return docs.map((doc) => Object.fromEntries(Object.entries(doc).filter(([key]) => isWanted(key))));
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
