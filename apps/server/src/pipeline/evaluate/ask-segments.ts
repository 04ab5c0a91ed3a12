import { movedByTime, QueryError } from "@muster/query";
import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import type { Database } from "../../storage/postgres/database.js";
import type { DueSegment } from "../../storage/postgres/segments/segments.js";
import { OF_PIPELINE } from "../../storage/questions/asking.js";
import type { SegmentReading, SubjectMoves } from "../../storage/questions/memberships.js";
import type { Questions } from "../../storage/questions/questions.js";
import { type BrokenSegment, blame } from "./broken-segments.js";
import { type ParsedSegment, parseUsable, toSegmentQuery } from "./parsed-segment.js";

export interface AskedSegments {
  /** Subjects that must move. */
  moves: SubjectMoves[];
  /** No other subject must move. */
  isComplete: boolean;
  /** The segments that were evaluated. */
  parsed: ParsedSegment[];
  broken: BrokenSegment[];
}

/**
 * Compares all subjects with segments of one type, and finds up to `limit` that must move. Those that are due because of
 * the time alone are compared only with the subjects that have passed a moment that the segments name.
 */
export async function askSegments(
  { database, questions }: { database: Database; questions: Questions },
  organizationId: string,
  segments: readonly DueSegment[],
  { now, limit }: { now: Date; limit: number },
): Promise<AskedSegments> {
  const target = segments[0]?.subjectType ?? "user";
  const reading = { target, attributeTypes: await loadAttributeTypes(database, organizationId), now };
  const { parsed, broken } = parseUsable(segments, reading);
  const since = segments.every(({ reason }) => reason === "time") ? earliest(segments) : undefined;
  const found = await askTogether({ questions, organizationId, reading, since, limit }, parsed);
  return { ...found, broken: [...broken, ...found.broken] };
}

function earliest(segments: readonly DueSegment[]): Date {
  return new Date(Math.min(...segments.map(({ evaluatedAt }) => evaluatedAt?.getTime() ?? 0)));
}

interface Asking {
  questions: Questions;
  organizationId: string;
  reading: SegmentReading;
  /** Since when nothing but the time can have moved anybody. Undefined: anybody may have to move. */
  since: Date | undefined;
  limit: number;
}

/** When the question fails, the halves are asked about, and so on, so that a broken segment does not block the others. */
async function askTogether(asking: Asking, parsed: ParsedSegment[]): Promise<AskedSegments> {
  const { questions, organizationId, reading, limit } = asking;
  const nobody = { moves: [], isComplete: true, parsed, broken: [] };
  if (parsed.length === 0) return nobody;
  try {
    const among = await candidates(asking, parsed);
    if (among === "nobody") return nobody;
    const queries = parsed.map(toSegmentQuery);
    const moves = await questions.changesOfSegments(organizationId, queries, { limit, among }, reading);
    return { moves, isComplete: moves.length < limit, parsed, broken: [] };
  } catch (error) {
    const [only] = parsed;
    if (only && parsed.length === 1) {
      return { ...nobody, parsed: [], broken: [await blame(only.segment, error, questions)] };
    }
    const middle = Math.floor(parsed.length / 2);
    const first = await askTogether(asking, parsed.slice(0, middle));
    const second = await askTogether(asking, parsed.slice(middle));
    return {
      moves: joinMoves(first.moves, second.moves),
      isComplete: first.isComplete && second.isComplete,
      parsed: [...first.parsed, ...second.parsed],
      broken: [...first.broken, ...second.broken],
    };
  }
}

/** A query for those who can have moved; undefined for everybody. */
async function candidates({ questions, organizationId, reading, since }: Asking, parsed: readonly ParsedSegment[]) {
  if (!since) return undefined;
  const span = { from: since, to: reading.now };
  const among = movedByTime(
    parsed.map(({ query }) => query),
    span,
  );
  if (!among) return "nobody";
  try {
    // The engine needs far longer to plan the question about all segments.
    const count = await questions.count(organizationId, { ...reading, query: among }, OF_PIPELINE);
    return count === 0 ? "nobody" : among;
  } catch (error) {
    // A field is compared with a date and is none.
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

function joinMoves(some: readonly SubjectMoves[], others: readonly SubjectMoves[]): SubjectMoves[] {
  const joined = new Map(some.map((moves) => [moves.id, moves]));
  for (const { id, entered, left } of others) {
    const known = joined.get(id);
    joined.set(id, {
      id,
      entered: [...(known?.entered ?? []), ...entered],
      left: [...(known?.left ?? []), ...left],
    });
  }
  return [...joined.values()];
}
