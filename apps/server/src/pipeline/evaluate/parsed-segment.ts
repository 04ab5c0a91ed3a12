import {
  type AttributeTypes,
  checkQuery,
  parse,
  type Query,
  type QueryDependencies,
  QueryError,
  queryDependencies,
  type SegmentQuery,
} from "@muster/query";
import type { KnownSegment } from "../../audience/segments/known-segments.js";
import { type BrokenSegment, refusalOf } from "./broken-segments.js";

export interface ParsedSegment {
  segment: KnownSegment;
  query: Query;
  reads: QueryDependencies;
}

const MAX_REMEMBERED = 10_000;
/** Parsed queries. Every edit of a segment gives it another key. */
const remembered = new Map<string, Omit<ParsedSegment, "segment">>();

/** Parses the query of a segment, or takes it from an earlier time: segments are evaluated often and edited rarely. */
export function parseSegment(segment: KnownSegment): ParsedSegment {
  const key = `${segment.id} ${segment.revision} ${segment.updatedAt.getTime()}`;
  let parsed = remembered.get(key);
  if (!parsed) {
    parsed = parseQuery(segment);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(key, parsed);
  }
  return { segment, ...parsed };
}

function parseQuery({ query: written, subjectType }: KnownSegment): Omit<ParsedSegment, "segment"> {
  const query = parse(written, { target: subjectType });
  return { query, reads: queryDependencies(query, subjectType) };
}

/** Parses segments, and separates those whose query is refused, by the types of its fields too. */
export function parseUsable(
  segments: readonly KnownSegment[],
  reading: { attributeTypes: AttributeTypes; now: Date },
): { parsed: ParsedSegment[]; broken: BrokenSegment[] } {
  const parsed: ParsedSegment[] = [];
  const broken: BrokenSegment[] = [];
  for (const segment of segments) {
    try {
      const usable = parseSegment(segment);
      checkQuery(usable.query, { ...reading, target: segment.subjectType });
      parsed.push(usable);
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      broken.push({ segment, problem: refusalOf(error) });
    }
  }
  return { parsed, broken };
}

export function toSegmentQuery({ segment, query }: ParsedSegment): SegmentQuery {
  return { id: segment.id, query };
}
