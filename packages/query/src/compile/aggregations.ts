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
import { type CompileOptions, openScope, rowsOf, type Scope } from "./scope.js";
import type { Statement } from "./statement-params.js";

export type AggregationRow = Readonly<Record<string, unknown>>;

/** The statements of one aggregation, and the function that turns their rows into its answer. */
export interface CompiledAggregation {
  readonly name: string;
  readonly statements: readonly Statement[];
  /** Takes the rows of each statement, in the same order. */
  readonly read: (results: readonly (readonly AggregationRow[])[]) => Record<string, unknown>;
}

/** Compiles aggregations over the rows that match the query. Counts are exact. */
export function compileAggregations(
  query: Query,
  aggregations: readonly NamedAggregation[],
  options: CompileOptions,
): CompiledAggregation[] {
  return aggregations.map(({ name, aggregation }) => ({ name, ...compileAggregation(query, aggregation, options) }));
}

function compileAggregation(
  query: Query,
  aggregation: Aggregation,
  options: CompileOptions,
): Omit<CompiledAggregation, "name"> {
  return aggregation.kind === "metric"
    ? metricAlone(query, aggregation, options)
    : buckets(query, aggregation, options);
}

function metricAlone(
  query: Query,
  aggregation: MetricAggregation,
  options: CompileOptions,
): Omit<CompiledAggregation, "name"> {
  const source = new Source(query, options);
  const metric = compileMetric(aggregation, source.joins, options.dialect, 0);
  const rows = source.select([`${metric.value} as ${metric.name}`], []);
  const sql = `select ${columns(metric)} from (${rows}) as found`;
  return { statements: [source.statement(sql)], read: ([rows = []]) => metric.read(rows[0] ?? {}) };
}

/** One statement for the buckets and their metrics, and one more for each nested bucketing. */
function buckets(
  query: Query,
  aggregation: BucketAggregation,
  options: CompileOptions,
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

function outerBuckets(query: Query, aggregation: BucketAggregation, options: CompileOptions) {
  const source = new Source(query, options);
  const bucketing = compileBucketing(aggregation, source.joins, source.scope);
  const metrics = aggregation.inside.flatMap(({ name, aggregation: inside }, index) =>
    inside.kind === "metric" ? [{ name, metric: compileMetric(inside, source.joins, options.dialect, index) }] : [],
  );
  const values = metrics.map(({ metric }) => `${metric.value} as ${metric.name}`);
  const selected = ["bucket as key", "count(*) as doc_count", ...metrics.map(({ metric }) => columns(metric))].join(
    ", ",
  );
  const found = source.select([`${bucketing.key} as bucket`, ...values], [bucketing.where]);
  const kept = metrics.map(({ metric }) => metric.name);
  const rows = bucketing.isList ? source.explode(found, "bucket", kept) : found;
  const order = orderOf(aggregation, metrics);
  const sql = `select ${selected} from (${rows}) as found group by bucket${atLeast(aggregation)} order by ${order} limit ${limitOf(aggregation)}`;
  return {
    statement: source.statement(sql),
    keys: bucketing.keys,
    read: (row: AggregationRow) => Object.fromEntries(metrics.map(({ name, metric }) => [name, metric.read(row)])),
  };
}

function innerBuckets(query: Query, outer: BucketAggregation, inner: BucketAggregation, options: CompileOptions) {
  const source = new Source(query, options);
  const outside: CompiledBucketing = compileBucketing(outer, source.joins, source.scope);
  const inside: CompiledBucketing = compileBucketing(inner, source.joins, source.scope);
  // Lists are expanded one after the other. Expanded in one select, an engine would pair their elements.
  let rows = source.select(
    [`${outside.key} as outer_bucket`, `${inside.key} as bucket`],
    [outside.where, inside.where],
  );
  if (outside.isList) rows = source.explode(rows, "outer_bucket", ["bucket"]);
  if (inside.isList) rows = source.explode(rows, "bucket", ["outer_bucket"]);
  const counted = `select outer_bucket as outer_key, bucket as key, count(*) as doc_count from (${rows}) as found group by outer_bucket, bucket${atLeast(inner)}`;
  const ranked = `select outer_key, key, doc_count, row_number() over (partition by outer_key order by ${orderOf(inner, [])}) as place from (${counted}) as counted`;
  const sql = `select outer_key, key, doc_count from (${ranked}) as ranked where place <= ${limitOf(inner)} order by outer_key, place`;
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
  return by.kind === "terms" && by.minCount > 1 ? ` having count(*) >= ${by.minCount}` : "";
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

/** One bucket more than allowed, to find out whether there are too many. */
function limitOf({ by }: BucketAggregation): number {
  return by.kind === "terms" ? by.size : LIMITS.buckets + 1;
}

/** The rows that an aggregation reads. */
class Source {
  readonly scope: Scope;
  readonly joins: Joins;
  readonly #condition: string;

  constructor(query: Query, options: CompileOptions) {
    this.scope = openScope(options);
    this.joins = new Joins(this.scope);
    this.#condition = compileQuery(query, this.scope);
  }

  select(expressions: readonly string[], conditions: readonly string[]): string {
    const rows = rowsOf(this.scope.target, this.scope, this.joins.sql());
    return `select ${expressions.join(", ")} from ${rows} and ${and([this.#condition, ...conditions])}`;
  }

  /** The same rows, with one row for each element of a list column. */
  explode(rows: string, list: string, others: readonly string[]): string {
    const columns = [`${this.scope.dialect.explode(list)} as ${list}`, ...others].join(", ");
    return `select ${columns} from (${rows}) as lists`;
  }

  statement(sql: string): Statement {
    return { sql, params: this.scope.params.values };
  }
}
