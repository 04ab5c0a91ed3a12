import type { Aggregation, BucketAggregation, MetricAggregation, NamedAggregation } from "../aggregation.js";
import { LIMITS } from "../limits.js";
import type { Query } from "../query.js";
import { QueryError } from "../query-error.js";
import { type CompiledBucketing, compileBucketing } from "./bucketing.js";
import { compileQuery } from "./compile-query.js";
import { type Bucket, completeBuckets } from "./complete-buckets.js";
import { Joins } from "./joins.js";
import { and } from "./logic.js";
import { type CompiledMetric, compileMetric } from "./metric.js";
import { ofOrganization, openScope, type Scope, tableOf } from "./scope.js";
import type { SearchOptions } from "./search.js";
import type { Statement } from "./statement.js";

export type AggregationRow = Readonly<Record<string, unknown>>;

/** The statements behind one aggregation, and how their rows become its answer. */
export interface CompiledAggregation {
  readonly name: string;
  readonly statements: readonly Statement[];
  /** Takes the rows of each statement, in the same order. */
  readonly read: (results: readonly (readonly AggregationRow[])[]) => Record<string, unknown>;
}

/** Without this, months and years come as dates that begin in 1970. */
const SETTINGS = "settings enable_extended_results_for_datetime_functions = 1";

/** What the aggregations say of the rows that fit the query. Counts are exact. */
export function compileAggregations(
  query: Query,
  aggregations: readonly NamedAggregation[],
  options: SearchOptions,
): CompiledAggregation[] {
  return aggregations.map(({ name, aggregation }) => ({ name, ...compileAggregation(query, aggregation, options) }));
}

function compileAggregation(
  query: Query,
  aggregation: Aggregation,
  options: SearchOptions,
): Omit<CompiledAggregation, "name"> {
  return aggregation.kind === "metric"
    ? metricAlone(query, aggregation, options)
    : buckets(query, aggregation, options);
}

function metricAlone(
  query: Query,
  aggregation: MetricAggregation,
  options: SearchOptions,
): Omit<CompiledAggregation, "name"> {
  const source = new Source(query, options);
  const metric = compileMetric(aggregation, source.joins, 0);
  const sql = `select ${columns(metric)} from (${source.select([`${metric.value} as ${metric.name}`], [])})`;
  return { statements: [source.statement(sql)], read: ([rows = []]) => metric.read(rows[0] ?? {}) };
}

/** One statement for the buckets and the metrics inside them, one more for each bucketing inside. */
function buckets(
  query: Query,
  aggregation: BucketAggregation,
  options: SearchOptions,
): Omit<CompiledAggregation, "name"> {
  const outer = outerBuckets(query, aggregation, options);
  const inner = aggregation.inside.flatMap(({ name, aggregation: inside }) =>
    inside.kind === "bucket" ? [{ name, ...innerBuckets(query, aggregation, inside, options) }] : [],
  );
  return {
    statements: [outer.statement, ...inner.map(({ statement }) => statement)],
    read: ([rows = [], ...innerRows]) => {
      const readers = inner.map(({ name, reader }, index) => ({ name, read: reader(innerRows[index] ?? []) }));
      const insideOf = (row: AggregationRow) => ({
        ...outer.read(row),
        ...Object.fromEntries(readers.map(({ name, read }) => [name, read(row.key)])),
      });
      const found = rows.map((row) => ({ key: row.key, count: Number(row.doc_count), inside: insideOf(row) }));
      return completeBuckets(aggregation, outer.keys, found, () => insideOf({}));
    },
  };
}

function outerBuckets(query: Query, aggregation: BucketAggregation, options: SearchOptions) {
  const source = new Source(query, options);
  const bucketing = compileBucketing(aggregation, source.joins, source.scope, 0);
  const metrics = aggregation.inside.flatMap(({ name, aggregation: inside }, index) =>
    inside.kind === "metric" ? [{ name, metric: compileMetric(inside, source.joins, index) }] : [],
  );
  const values = metrics.map(({ metric }) => `${metric.value} as ${metric.name}`);
  const selected = ["key", "count() as doc_count", ...metrics.map(({ metric }) => columns(metric))].join(", ");
  const rows = source.select([`${bucketing.key} as key`, ...values], [bucketing.where]);
  const order = orderOf(aggregation, metrics);
  const sql = `select ${selected} from (${rows}) group by key${atLeast(aggregation)} order by ${order} limit ${limitOf(aggregation)}`;
  return {
    statement: source.statement(sql),
    keys: bucketing.keys,
    read: (row: AggregationRow) => Object.fromEntries(metrics.map(({ name, metric }) => [name, metric.read(row)])),
  };
}

function innerBuckets(query: Query, outer: BucketAggregation, inner: BucketAggregation, options: SearchOptions) {
  const source = new Source(query, options);
  const outside = compileBucketing(outer, source.joins, source.scope, 0);
  const inside: CompiledBucketing = compileBucketing(inner, source.joins, source.scope, 1);
  const rows = source.select([`${outside.key} as outer_key`, `${inside.key} as key`], [outside.where, inside.where]);
  const sql = `select outer_key, key, count() as doc_count from (${rows}) group by outer_key, key${atLeast(inner)} order by outer_key, ${orderOf(inner, [])} limit ${limitOf(inner)} by outer_key`;
  return {
    statement: source.statement(sql),
    reader: (rows: readonly AggregationRow[]) => {
      const found = new Map<unknown, Bucket[]>();
      for (const row of rows) {
        const bucket: Bucket = { key: row.key, count: Number(row.doc_count), inside: {} };
        const siblings = found.get(row.outer_key);
        if (siblings === undefined) found.set(row.outer_key, [bucket]);
        else siblings.push(bucket);
      }
      return (outerKey: unknown) => completeBuckets(inner, inside.keys, found.get(outerKey) ?? [], () => ({}));
    },
  };
}

function columns(metric: CompiledMetric): string {
  return metric.results.map(({ name, sql }) => `${sql} as ${name}`).join(", ");
}

function atLeast({ by }: BucketAggregation): string {
  return by.kind === "terms" && by.minCount > 1 ? ` having doc_count >= ${by.minCount}` : "";
}

function orderOf(
  { by, path }: BucketAggregation,
  metrics: readonly { name: string; metric: CompiledMetric }[],
): string {
  if (by.kind !== "terms" || by.orderBy === "_key") return by.kind === "terms" && by.descending ? "key desc" : "key";
  const direction = by.descending ? "desc" : "asc";
  if (by.orderBy === "_count") return `doc_count ${direction}, key`;
  const result = metrics.find(({ name }) => name === by.orderBy)?.metric.results[0];
  if (result === undefined)
    throw new QueryError(`${path}.order`, "expected _count, _key or the name of a metric inside");
  return `${result.name} ${direction} nulls last, key`;
}

/** One more than may be shown, to find out whether there are too many. */
function limitOf({ by }: BucketAggregation): number {
  return by.kind === "terms" ? by.size : LIMITS.buckets + 1;
}

/** The rows an aggregation is over. */
class Source {
  readonly scope: Scope;
  readonly joins: Joins;
  readonly #condition: string;

  constructor(query: Query, options: SearchOptions) {
    this.scope = openScope(options.entity, options);
    this.joins = new Joins(this.scope);
    this.#condition = compileQuery(query, this.scope);
  }

  select(expressions: readonly string[], conditions: readonly string[]): string {
    const from = `${tableOf(this.scope.entity)} final${this.joins.sql()}`;
    return `select ${expressions.join(", ")} from ${from} where ${and([ofOrganization(this.scope), this.#condition, ...conditions])}`;
  }

  statement(sql: string): Statement {
    return { sql: `${sql} ${SETTINGS}`, params: this.scope.params.values };
  }
}
