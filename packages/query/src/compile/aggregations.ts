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
  /** Asks its statements and makes the answer of their rows. Must be called once at most. */
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

/**
 * One statement for the buckets and their metrics, and one more for each nested bucketing. Where not all buckets are in the answer, the
 * nested ones are asked afterwards, of those that are. An engine that chose once more could choose others: rows are written meanwhile,
 * and sums of fractions differ with the order in which they are added.
 */
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
    const outerRows = counted(outer.statement, cost, path);
    const innerRows = async ({ statement, path: at }: (typeof inner)[number]) => {
      if (!isChosen(aggregation)) return counted(statement(), 1, at);
      const kept = (await outerRows).map((row) => String(row.key_text));
      return kept.length === 0 ? [] : counted(statement(kept), 1, at);
    };
    const [rows, ...found] = await Promise.all([outerRows, ...inner.map(innerRows)]);
    const readers = inner.map(({ name, reader }, index) => ({ name, read: reader(found[index] ?? []) }));
    const insideOf = (row: AggregationRow) => ({
      ...outer.read(row),
      ...Object.fromEntries(readers.map(({ name, read }) => [name, read(row.key)])),
    });
    const answered = rows.map((row) => ({ key: row.key, count: Number(row.doc_count), inside: insideOf(row) }));
    return completeBuckets(aggregation, outer.keys, answered, (key) => {
      counter.add(cost, path);
      return { key, count: 0, inside: insideOf({}) };
    });
  };
}

function outerBuckets(query: Query, aggregation: BucketAggregation, options: CompileOptions) {
  const source = new Source(query, openScope(options));
  const { joins, scope } = source;
  const bucketing = compileBucketing(aggregation, joins, scope);
  const metrics = aggregation.inside.flatMap(({ name, aggregation: inside }, index) =>
    inside.kind === "metric" ? [{ name, metric: compileMetric(inside, joins, scope.dialect, index) }] : [],
  );
  const values = metrics.map(({ metric }) => `${metric.value} as ${metric.name}`);
  const selected = [
    "bucket as key",
    ...(isChosen(aggregation) ? [`${keyText(bucketing, "bucket", scope)} as key_text`] : []),
    "count(*) as doc_count",
    ...metrics.map(({ metric }) => columns(metric)),
  ].join(", ");
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
  const { dialect, params } = source.scope;
  const order = orderOf(inner, []);
  /** `kept` are the texts of the outer keys that are in the answer; undefined for all. */
  const statement = (kept?: readonly string[]): Statement => {
    const ofKept = kept
      ? ` where ${dialect.isOneOf(keyText(outside, "outer_bucket", source.scope), "text", kept, params)}`
      : "";
    const counted = `select outer_bucket as outer_key, bucket as key, count(*) as doc_count from (${rows}) as found${ofKept} group by outer_bucket, bucket${atLeast(inner)}`;
    const ranked = `select outer_key, key, doc_count, row_number() over (partition by outer_key order by ${order}) as place from (${counted}) as counted`;
    return source.statement(
      `select outer_key, key, doc_count from (${ranked}) as ranked where place <= ${limitOf(inner)} order by outer_key, place limit ${LIMITS.answerBuckets + 1}`,
    );
  };
  return {
    path,
    statement,
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

/** Whether the answer may lack buckets that have rows, so that those inside must be asked of the ones that it has. */
function isChosen({ by, inside }: BucketAggregation): boolean {
  const mayLack = by.kind === "terms" || ("minCount" in by && by.minCount > 1);
  return mayLack && inside.some(({ aggregation }) => aggregation.kind === "bucket");
}

/** A key as it is sent back to the engine. Numbers are sent as texts: read and written again, a fraction may be another one. */
function keyText({ keys }: CompiledBucketing, sql: string, { dialect }: Scope): string {
  return keys === "text" ? sql : dialect.textOf(sql);
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
