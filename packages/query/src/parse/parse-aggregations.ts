import { isObject } from "@muster/protocol";
import type {
  Aggregation,
  Bucketing,
  BucketRange,
  MetricName,
  NamedAggregation,
  TermsBucketing,
} from "../aggregation.js";
import type { CalendarUnit } from "../dates/calendar.js";
import { isTimeZone } from "../dates/time-zone.js";
import { LIMITS } from "../limits.js";
import { QueryError } from "../query-error.js";
import type { Target } from "../target.js";
import { AGGREGATION_OPTIONS } from "./clause-options.js";
import { type ParseOptions, parse } from "./parse.js";
import { parseField } from "./parse-field.js";
import {
  countAt,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  oneOf,
  refuseOthers,
  refuseUnknown,
  scalarAt,
  stringAt,
} from "./reader.js";

const METRICS: readonly MetricName[] = ["cardinality", "stats", "sum", "avg", "min", "max"];

type BucketingParser = (body: unknown, path: string, target: Target) => Bucketing;

const BUCKETINGS: Readonly<Record<Bucketing["kind"], BucketingParser>> = {
  filter: (body, path, target) => ({ kind: "filter", query: parse(body, { target, path }) }),

  filters: (body, path, target) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, AGGREGATION_OPTIONS.filters);
    const filters = isObject(input.filters)
      ? Object.entries(input.filters)
      : [...listAt(input.filters, `${path}.filters`).entries()];
    if (filters.length > LIMITS.aggregations)
      throw new QueryError(path, `expected at most ${LIMITS.aggregations} filters`);
    return {
      kind: "filters",
      filters: filters.map(([key, query]) => ({
        key: String(key),
        query: parse(query, { target, path: `${path}.filters.${key}` }),
      })),
    };
  },

  missing: (body, path, target) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, AGGREGATION_OPTIONS.missing);
    return { kind: "missing", field: fieldIn(input, path, target) };
  },

  terms: (body, path, target) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, AGGREGATION_OPTIONS.terms);
    // In older engines, 0 means all buckets.
    const size = input.size === undefined ? 10 : countAt(input.size, `${path}.size`) || LIMITS.buckets;
    if (size > LIMITS.buckets) throw new QueryError(`${path}.size`, `expected at most ${LIMITS.buckets}`);
    return {
      kind: "terms",
      field: fieldIn(input, path, target),
      size,
      minCount: Math.max(1, minCountIn(input, path, 1)),
      ...orderIn(input.order, `${path}.order`),
    };
  },

  histogram: (body, path, target) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, AGGREGATION_OPTIONS.histogram);
    const interval = numberAt(input.interval, `${path}.interval`);
    if (interval <= 0) throw new QueryError(`${path}.interval`, "expected a number above 0");
    const offset = input.offset === undefined ? 0 : numberAt(input.offset, `${path}.offset`);
    return {
      kind: "histogram",
      field: fieldIn(input, path, target),
      interval,
      offset,
      minCount: minCountIn(input, path, 0),
    };
  },

  date_histogram: (body, path, target) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, AGGREGATION_OPTIONS.date_histogram);
    const timeZone = input.time_zone === undefined ? "UTC" : stringAt(input.time_zone, `${path}.time_zone`);
    if (!isTimeZone(timeZone))
      throw new QueryError(`${path}.time_zone`, "expected an offset such as +02:00 or a zone such as Europe/Paris");
    const step = dateInterval(input, path);
    if (step.count > 1 && /[A-Za-z]\//.test(timeZone)) {
      throw new QueryError(`${path}.time_zone`, "expected an offset such as +02:00 with an interval of several units");
    }
    return {
      kind: "date_histogram",
      field: fieldIn(input, path, target),
      ...step,
      timeZone,
      minCount: minCountIn(input, path, 0),
    };
  },

  range: (body, path, target) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, AGGREGATION_OPTIONS.range);
    const ranges = listAt(input.ranges, `${path}.ranges`);
    if (ranges.length === 0 || ranges.length > LIMITS.aggregations) {
      throw new QueryError(`${path}.ranges`, `expected 1 to ${LIMITS.aggregations} ranges`);
    }
    return {
      kind: "range",
      field: fieldIn(input, path, target),
      ranges: ranges.map((range, index) => bucketRange(range, `${path}.ranges.${index}`)),
    };
  },
};

/**
 * Reads `{name: {terms: {…}, aggs: {…}}}`.
 *
 * @throws QueryError
 */
export function parseAggregations(input: unknown, options: ParseOptions): readonly NamedAggregation[] {
  const path = options.path ?? "aggs";
  let count = 0;

  const parseAll = (value: unknown, at: string, depth: number): NamedAggregation[] =>
    Object.entries(objectAt(value, at)).map(([name, body]) => {
      count += 1;
      if (count > LIMITS.aggregations) throw new QueryError(at, `expected at most ${LIMITS.aggregations} aggregations`);
      return { name, aggregation: parseOne(body, `${at}.${name}`, depth) };
    });

  const parseOne = (value: unknown, at: string, depth: number): Aggregation => {
    const { aggs, aggregations, ...rest } = objectAt(value, at);
    const inner = aggs ?? aggregations;
    const [entry, ...others] = Object.entries(rest);
    if (entry === undefined || others.length > 0) throw new QueryError(at, "expected exactly one kind of aggregation");
    const [kind, body] = entry;
    const metric = METRICS.find((candidate) => candidate === kind);
    if (metric !== undefined) {
      if (inner !== undefined)
        throw new QueryError(`${at}.aggs`, `${kind} has no buckets, so no aggregations can be nested in it`);
      const metricInput = objectAt(body, `${at}.${kind}`);
      refuseOthers(metricInput, `${at}.${kind}`, AGGREGATION_OPTIONS[metric]);
      return {
        kind: "metric",
        path: `${at}.${kind}`,
        metric,
        field: fieldIn(metricInput, `${at}.${kind}`, options.target),
      };
    }
    if (!isBucketing(kind)) {
      throw new QueryError(
        `${at}.${kind}`,
        `unknown aggregation; expected one of ${Object.keys(AGGREGATION_OPTIONS).join(", ")}`,
      );
    }
    if (inner !== undefined && depth > 1)
      throw new QueryError(`${at}.aggs`, "expected aggregations to be nested one level at most");
    const by = BUCKETINGS[kind](body, `${at}.${kind}`, options.target);
    const inside = inner === undefined ? [] : parseAll(inner, `${at}.aggs`, depth + 1);
    checkOrder(by, inside, `${at}.${kind}`);
    return { kind: "bucket", path: `${at}.${kind}`, by, inside };
  };

  return parseAll(input, path, 1);
}

function isBucketing(kind: string): kind is Bucketing["kind"] {
  return Object.hasOwn(BUCKETINGS, kind);
}

function checkOrder(by: Bucketing, inside: readonly NamedAggregation[], path: string): void {
  if (by.kind !== "terms" || by.orderBy === "_count" || by.orderBy === "_key") return;
  const metric = inside.find(({ name }) => name === by.orderBy)?.aggregation;
  if (metric?.kind !== "metric" || metric.metric === "stats") {
    throw new QueryError(`${path}.order`, "expected _count, _key or the name of a single-valued aggregation inside");
  }
}

function fieldIn(input: JsonObject, path: string, target: Target) {
  return parseField(input.field, `${path}.field`, target);
}

function minCountIn(input: JsonObject, path: string, fallback: number): number {
  return input.min_doc_count === undefined ? fallback : countAt(input.min_doc_count, `${path}.min_doc_count`);
}

function orderIn(input: unknown, path: string): Pick<TermsBucketing, "orderBy" | "descending"> {
  if (input === undefined) return { orderBy: "_count", descending: true };
  const [entry, ...others] = Object.entries(objectAt(input, path));
  if (entry === undefined || others.length > 0) throw new QueryError(path, "expected exactly one name to order by");
  const [name, direction] = entry;
  return {
    orderBy: name === "_term" ? "_key" : name,
    descending: oneOf(direction, `${path}.${name}`, ["asc", "desc"]) === "desc",
  };
}

const UNIT_NAMES: Readonly<Record<string, CalendarUnit>> = {
  second: "s",
  minute: "m",
  hour: "h",
  day: "d",
  week: "w",
  month: "M",
  quarter: "q",
  year: "y",
};

/** `day`, `1d`, `quarter`, `1M`; several units at once only where they have a fixed length: `12h`, `7d`. */
function dateInterval(input: JsonObject, path: string): { count: number; unit: CalendarUnit } {
  const key = ["interval", "calendar_interval", "fixed_interval"].find((name) => name in input) ?? "interval";
  const text = stringAt(input[key], `${path}.${key}`);
  const [, digits = "1", letter] = /^(\d{1,6})?([smhdwMqy])$/.exec(text) ?? [];
  const unit = Object.hasOwn(UNIT_NAMES, text)
    ? UNIT_NAMES[text]
    : Object.values(UNIT_NAMES).find((name) => name === letter);
  const count = letter === undefined ? 1 : Number(digits);
  if (unit === undefined || count < 1 || (count > 1 && !["s", "m", "h", "d"].includes(unit))) {
    throw new QueryError(`${path}.${key}`, "expected an interval such as day, 1M or 12h");
  }
  return { count, unit };
}

function bucketRange(input: unknown, path: string): BucketRange {
  const range = objectAt(input, path);
  refuseUnknown(range, path, ["key", "from", "to"]);
  const from = boundIn(range, "from", path);
  const to = boundIn(range, "to", path);
  if (from === undefined && to === undefined) throw new QueryError(path, "expected from or to");
  return {
    key: range.key === undefined ? `${from ?? "*"}-${to ?? "*"}` : stringAt(range.key, `${path}.key`),
    from,
    to,
  };
}

function boundIn(range: JsonObject, key: string, path: string): string | number | undefined {
  const value = range[key];
  if (value === undefined || value === null) return undefined;
  const scalar = scalarAt(value, `${path}.${key}`);
  if (typeof scalar === "boolean") throw new QueryError(`${path}.${key}`, "expected a number or a date");
  return scalar;
}
