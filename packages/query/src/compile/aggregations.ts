import type { BucketAggregation, MetricAggregation, NamedAggregation } from "../aggregation.js";
import { LIMITS } from "../limits.js";
import type { Query } from "../query.js";
import { QueryError } from "../query-error.js";
import { BucketCounter } from "./bucket-counter.js";
import { type CompiledBucketing, compileBucketing } from "./bucketing.js";
import { compileQuery } from "./compile-query.js";
import { type Bucket, completeBuckets } from "./complete-buckets.js";
import { Joins } from "./joins.js";
import { and } from "./logic.js";
import { type CompiledMetric, compileMetric } from "./metric.js";
import { type CompileOptions, openScope, rowsOf, type Scope } from "./scope.js";
import type { Statement } from "./statement-params.js";

export type AggregationRow = Readonly<Record<string, unknown>>;

/** Asks the engine a statement. */
export type AskRows = (statement: Statement) => Promise<readonly AggregationRow[]>;

export interface CompiledAggregation {
  readonly name: string;
  /** Asks its statements, all at once, and makes the answer of their rows. */
  readonly answer: (ask: AskRows) => Promise<Record<string, unknown>>;
}

type Answering = CompiledAggregation["answer"];

/** Compiles aggregations over the rows that match the query. Counts are exact. */
export function compileAggregations(
  query: Query,
  aggregations: readonly NamedAggregation[],
  options: CompileOptions,
): CompiledAggregation[] {
  const counter = new BucketCounter();
  return aggregations.map(({ name, aggregation }) => ({
    name,
    answer:
      aggregation.kind === "metric"
        ? metricAlone(query, aggregation, options)
        : buckets(query, aggregation, counter, options),
  }));
}

function metricAlone(query: Query, aggregation: MetricAggregation, options: CompileOptions): Answering {
  const source = new Source(query, openScope(options));
  const metric = compileMetric(aggregation, source.joins, options.dialect, 0);
  const rows = source.select([`${metric.value} as ${metric.name}`], []);
  const statement = source.statement(`select ${columns(metric)} from (${rows}) as found`);
  return async (ask) => {
    const [row = {}] = await ask(statement);
    return metric.read(row);
  };
}

/** One statement for the buckets and their metrics, and one more for each nested bucketing. */
function buckets(
  query: Query,
  aggregation: BucketAggregation,
  counter: BucketCounter,
  options: CompileOptions,
): Answering {
  const { path } = aggregation;
  const outer = outerBuckets(query, aggregation, options);
  const inner = aggregation.inside.flatMap(({ name, aggregation: inside }) =>
    inside.kind === "bucket" ? [{ name, ...innerBuckets(query, aggregation, inside, counter, options) }] : [],
  );
  const cost = costOf(aggregation);
  return async (ask) => {
    // The rows of each statement are counted as soon as they are read, because all together may not fit into memory.
    const counted = async (statement: Statement, each: number, at: string) => {
      const rows = await ask(statement);
      counter.add(rows.length * each, at);
      return rows;
    };
    const [rows, ...innerRows] = await Promise.all([
      counted(outer.statement, cost, path),
      ...inner.map(({ statement, path: at }) => counted(statement, 1, at)),
    ]);
    const readers = inner.map(({ name, reader }, index) => ({ name, read: reader(innerRows[index] ?? []) }));
    const insideOf = (row: AggregationRow) => ({
      ...outer.read(row),
      ...Object.fromEntries(readers.map(({ name, read }) => [name, read(row.key)])),
    });
    const found = rows.map((row) => ({ key: row.key, count: Number(row.doc_count), inside: insideOf(row) }));
    return completeBuckets(aggregation, outer.keys, found, (key) => {
      counter.add(cost, path);
      return { key, count: 0, inside: insideOf({}) };
    });
  };
}

function outerBuckets(query: Query, aggregation: BucketAggregation, options: CompileOptions) {
  const source = new Source(query, openScope(options));
  const { sql, keys, metrics } = grouped(source, aggregation, () => true);
  return {
    statement: source.statement(sql),
    keys,
    read: (row: AggregationRow) => Object.fromEntries(metrics.map(({ name, metric }) => [name, metric.read(row)])),
  };
}

/** The buckets of an aggregation that are in the answer, in their order, with some of its metrics. */
function grouped(source: Source, aggregation: BucketAggregation, isWanted: (metric: string) => boolean) {
  const { joins, scope } = source;
  const bucketing = compileBucketing(aggregation, joins, scope);
  const metrics = aggregation.inside.flatMap(({ name, aggregation: inside }, index) =>
    inside.kind === "metric" && isWanted(name)
      ? [{ name, metric: compileMetric(inside, joins, scope.dialect, index) }]
      : [],
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
  return { sql, keys: bucketing.keys, metrics };
}

function innerBuckets(
  query: Query,
  outer: BucketAggregation,
  inner: BucketAggregation,
  counter: BucketCounter,
  options: CompileOptions,
) {
  const { path } = inner;
  const source = new Source(query, openScope(options));
  const outside: CompiledBucketing = compileBucketing(outer, source.joins, source.scope);
  const inside: CompiledBucketing = compileBucketing(inner, source.joins, source.scope);
  // Lists are expanded one after the other. Expanded in one select, an engine would pair their elements.
  let rows = source.select(
    [`${outside.key} as outer_bucket`, `${inside.key} as bucket`],
    [outside.where, inside.where],
  );
  if (outside.isList) rows = source.explode(rows, "outer_bucket", ["bucket"]);
  if (inside.isList) rows = source.explode(rows, "bucket", ["outer_bucket"]);
  const counted = `select outer_bucket as outer_key, bucket as key, count(*) as doc_count from (${rows}) as found${ofKept(query, outer, source.scope)} group by outer_bucket, bucket${atLeast(inner)}`;
  const ranked = `select outer_key, key, doc_count, row_number() over (partition by outer_key order by ${orderOf(inner, [])}) as place from (${counted}) as counted`;
  const sql = `select outer_key, key, doc_count from (${ranked}) as ranked where place <= ${limitOf(inner)} order by outer_key, place limit ${LIMITS.answerBuckets + 1}`;
  return {
    path,
    statement: source.statement(sql),
    reader: (rows: readonly AggregationRow[]) => {
      const found = new Map<unknown, Bucket[]>();
      for (const row of rows) {
        const bucket: Bucket = { key: row.key, count: Number(row.doc_count), inside: {} };
        const siblings = found.get(row.outer_key);
        if (siblings === undefined) found.set(row.outer_key, [bucket]);
        else siblings.push(bucket);
      }
      const empty = (key: number) => {
        counter.add(1, path);
        return { key, count: 0, inside: {} };
      };
      return (outerKey: unknown) => completeBuckets(inner, inside.keys, found.get(outerKey) ?? [], empty);
    },
  };
}

/** Only rows of the values that are in the answer. Otherwise each value of the field would have rows. */
function ofKept(query: Query, outer: BucketAggregation, scope: Scope): string {
  const { by } = outer;
  if (by.kind !== "terms") return "";
  const { sql } = grouped(new Source(query, scope), outer, (metric) => metric === by.orderBy);
  return ` where outer_bucket in (select key from (${sql}) as kept)`;
}

function columns(metric: CompiledMetric): string {
  return metric.results.map(({ name, sql }) => `${sql} as ${name}`).join(", ");
}

function atLeast({ by }: BucketAggregation): string {
  return "minCount" in by && by.minCount > 1 ? ` having count(*) >= ${by.minCount}` : "";
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
function limitOf(aggregation: BucketAggregation): number {
  const { by } = aggregation;
  const wanted = by.kind === "terms" ? by.size : LIMITS.buckets + 1;
  return Math.min(wanted, Math.floor(LIMITS.answerBuckets / costOf(aggregation)) + 1);
}

/** A bucket with its metrics. Its nested buckets are counted by themselves. */
function costOf({ inside }: BucketAggregation): number {
  return 1 + inside.filter(({ aggregation }) => aggregation.kind === "metric").length;
}

/** The rows that an aggregation reads. */
class Source {
  readonly scope: Scope;
  readonly joins: Joins;
  readonly #condition: string;

  constructor(query: Query, scope: Scope) {
    this.scope = scope;
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
