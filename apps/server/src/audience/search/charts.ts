import { DAY_MS, Refusal, type SubjectType } from "@muster/protocol";
import type { SegmentChart } from "@muster/protocol/api/charts";
import { MAX_CHART_POINTS } from "@muster/protocol/api/choices";
import type { Segment as SegmentDetails } from "@muster/protocol/api/segments";
import type { FieldType } from "@muster/query";
import { type Span, startOf, startsBetween } from "../../domain/charts/intervals.js";
import { sizesOverTime } from "../../domain/charts/segment-sizes.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { Segments } from "../segments/segments.js";
import type { Search } from "./search.js";

export interface ChartsOptions {
  questions: Questions;
  search: Search;
  segments: Segments;
}

// More points than a screen can show. The limit keeps answers small.
export const MAX_POINTS = 2_000;
const TOP_EVENTS = 10;
const BARS = 20;

export interface DistributionRequest {
  key: string;
  type: FieldType;
  /** The number of values to return, the most frequent first. */
  size: number;
  segmentId: string | undefined;
  /** Aborts the questions, for example when the caller has disconnected. */
  signal?: AbortSignal;
}

interface Bucket {
  key: string | number;
  key_as_string?: string;
  doc_count: number;
}

/** The figures that the dashboard draws. Each takes one or two questions. */
export class Charts {
  readonly #options: ChartsOptions;

  constructor(options: ChartsOptions) {
    this.#options = options;
  }

  /** The number of events in each interval, by name; 0 for intervals without events. */
  async events(organizationId: string, span: Span, names: readonly string[] | undefined) {
    const starts = startsOf(span);
    const times = starts.map(iso);
    const which = { names, top: TOP_EVENTS };
    const rows = await this.#options.questions.countEventsPerInterval(organizationId, span, which);
    const byName = new Map<string, Map<number, number>>((names ?? []).map((name) => [name, new Map()]));
    for (const { event, start, count } of rows) {
      byName.set(event, (byName.get(event) ?? new Map<number, number>()).set(start, count));
    }
    const series = [...byName].map(([event, counts]) => ({
      event,
      total: [...counts.values()].reduce((sum, count) => sum + count, 0),
      points: starts.map((start, place) => ({ at: times[place]!, count: counts.get(start) ?? 0 })),
    }));
    return { interval: span.interval, series: series.sort((one, other) => other.total - one.total) };
  }

  /**
   * The size of a segment at the end of each interval, or undefined when there is no such segment. It is computed
   * backwards from the present size and the number of members that entered and left since. It begins when the segment was
   * created, or with the first move that is known.
   */
  async segment(organizationId: string, segmentId: string, span: Span): Promise<SegmentChart | undefined> {
    const segment = await this.#options.segments.find(organizationId, segmentId);
    return segment && (await this.#segmentCharts(organizationId, [segment], span))[0];
  }

  /** The sizes of all segments. It is one question, however many segments there are. */
  async segments(organizationId: string, span: Span): Promise<SegmentChart[]> {
    return this.#segmentCharts(organizationId, await this.#options.segments.list(organizationId), span);
  }

  async #segmentCharts(
    organizationId: string,
    segments: readonly SegmentDetails[],
    span: Span,
  ): Promise<SegmentChart[]> {
    const from = new Date(startOf(span.interval, span.from.getTime()));
    const starts = startsOf({ ...span, to: new Date() });
    // Also the intervals after `to`, whose moves the engine returns too: sizes are counted back from the present one.
    requireBounded(starts.length * segments.length);
    const times = new Map(starts.map((start) => [start, iso(start)]));
    const ids = segments.map(({ id }) => id);
    const moves = await this.#options.questions.countMovesPerInterval(organizationId, { ...span, from }, ids);
    const bySegment = new Map<string, typeof moves>(ids.map((id) => [id, []]));
    for (const interval of moves) bySegment.get(interval.segmentId)?.push(interval);
    return segments.map(({ id, stats, created_at }) => {
      const size = Object.values(stats)[0] ?? 0;
      const history = { size, createdAt: Date.parse(created_at), moves: bySegment.get(id) ?? [] };
      const points = sizesOverTime(history, starts)
        .filter(({ start }) => start <= span.to.getTime())
        .map(({ start, ...point }) => ({ at: times.get(start) ?? iso(start), ...point }));
      return { segment_id: id, interval: span.interval, points };
    });
  }

  /** The most frequent values of an attribute, the number of distinct ones and, for numbers and dates, a histogram. */
  async distribution(
    organizationId: string,
    subjectType: SubjectType,
    { key, type, size, segmentId, signal }: DistributionRequest,
  ) {
    const field = { field: key };
    const isScale = type === "numeric" || type === "date";
    const ask = async (aggregations: Record<string, unknown>) => {
      const query = segmentId === undefined ? {} : { term: { segment_ids: segmentId } };
      const request = { query, sort: {}, page: 1, perPage: 0, aggregations, ...(signal ? { signal } : {}) };
      const answer = await this.#options.search.search(organizationId, subjectType, request);
      return { total: answer.pagination.total, found: answer.aggregations as Record<string, never> };
    };
    const { total, found } = await ask({
      top: { terms: { ...field, size } },
      missing: { missing: field },
      distinct: { cardinality: field },
      ...(isScale ? { stats: { stats: field } } : {}),
    });
    // The answer has exactly the aggregations of the request, each in the shape of its kind.
    const { top, missing, distinct, stats } = found as unknown as {
      top: { buckets: Bucket[] };
      missing: { doc_count: number };
      distinct: { value: number };
      stats?: { min: number | null; max: number | null };
    };
    const bars = stats && barsFor(type, stats);
    const { found: drawn } = bars ? await ask({ bars: bars(field) }) : { found: undefined };
    return {
      key,
      type,
      total,
      missing: missing.doc_count,
      distinct: distinct.value,
      top: top.buckets.map(bar),
      // The answer has the one aggregation of the request.
      histogram: drawn ? (drawn as unknown as { bars: { buckets: Bucket[] } }).bars.buckets.map(bar) : [],
    };
  }
}

function bar({ key, key_as_string, doc_count }: Bucket) {
  return { value: key_as_string ?? key, count: doc_count };
}

/** The aggregation for a histogram of about twenty bars of a round width; undefined when no subject has a value. */
function barsFor(type: FieldType, { min, max }: { min: number | null; max: number | null }) {
  if (min === null || max === null) return undefined;
  if (type === "date") {
    const days = Math.max(1, Math.ceil((max - min) / DAY_MS / BARS));
    return (field: { field: string }) => ({ date_histogram: { ...field, fixed_interval: `${days}d` } });
  }
  const interval = roundUp((max - min) / BARS) || 1;
  return (field: { field: string }) => ({ histogram: { ...field, interval } });
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundUp(width: number): number {
  if (width <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(width));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= width) ?? width;
}

function startsOf({ interval, from, to }: Span): number[] {
  const starts = from > to ? [] : startsBetween(interval, from.getTime(), to.getTime(), MAX_POINTS + 1);
  if (starts.length <= MAX_POINTS) return starts;
  throw new Refusal("invalid_parameter", `The chart would have more than ${MAX_POINTS} points.`, {
    details: [{ path: "query.interval", message: "is too short for the time between `from` and `to`" }],
  });
}

function requireBounded(points: number): void {
  if (points <= MAX_CHART_POINTS) return;
  throw new Refusal(
    "invalid_parameter",
    `The chart of all segments could have ${points} points until now, from which sizes are counted back; at most ${MAX_CHART_POINTS} points are possible. Take longer intervals or a later \`from\`, or ask for one segment.`,
    { details: [{ path: "query.interval", message: "is too short for so many segments" }] },
  );
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
