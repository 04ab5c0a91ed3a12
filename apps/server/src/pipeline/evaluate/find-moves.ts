import type { SubjectType } from "@muster/protocol";
import {
  type AttributeTypes,
  checkQuery,
  QueryError,
  type ReportTest,
  type ReportTestOptions,
  reportTest,
} from "@muster/query";
import type { SegmentMoves } from "../../domain/changes/change-set.js";
import type { SubjectMoves } from "../../storage/questions/memberships.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { Reports } from "../project/prepare-changes.js";
import { type BrokenSegment, blame, refusalOf } from "./broken-segments.js";
import { type ParsedSegment, toSegmentQuery } from "./parsed-segment.js";

export interface FindMovesOptions {
  subjectType: SubjectType;
  attributeTypes: AttributeTypes;
  /** The subjects to look at. */
  ids: readonly string[];
  /** Those of them that do not exist any more. */
  gone: ReadonlySet<string>;
  reports: Reports;
}

export interface FoundMoves {
  moves: SegmentMoves[];
  /** The ids of the subjects that moved. */
  movedIds: string[];
  /** The segments that could not be evaluated. Their members stay the same. */
  broken: BrokenSegment[];
}

/**
 * Finds which of the segments each subject enters or leaves. When the question about all segments fails, each
 * segment is evaluated alone, so that a broken segment does not block the others.
 */
export async function findMoves(
  questions: Questions,
  organizationId: string,
  segments: readonly ParsedSegment[],
  about: FindMovesOptions,
): Promise<FoundMoves> {
  const { target, usable, broken } = usableOf(segments, about);
  try {
    const found = await findTogether(questions, organizationId, usable, about, target);
    return { ...found, broken };
  } catch (error) {
    const [only] = usable;
    if (usable.length > 1) return findOneByOne(questions, organizationId, usable, about, broken);
    if (!only) throw error;
    return { moves: [], movedIds: [], broken: [...broken, await blame(only.segment, error, questions)] };
  }
}

async function findOneByOne(
  questions: Questions,
  organizationId: string,
  segments: readonly ParsedSegment[],
  about: FindMovesOptions,
  broken: readonly BrokenSegment[],
): Promise<FoundMoves> {
  const all: FoundMoves = { moves: [], movedIds: [], broken: [...broken] };
  const movedIds = new Set<string>();
  for (const segment of segments) {
    const found = await findMoves(questions, organizationId, [segment], about);
    all.moves.push(...found.moves);
    all.broken.push(...found.broken);
    for (const id of found.movedIds) movedIds.add(id);
  }
  return { ...all, movedIds: [...movedIds] };
}

/** The segments whose query the types of its fields allow. */
function usableOf(segments: readonly ParsedSegment[], { subjectType, attributeTypes }: FindMovesOptions) {
  const reading: ReportTestOptions = { target: subjectType, attributeTypes, now: new Date() };
  const usable: TestedSegment[] = [];
  const broken: BrokenSegment[] = [];
  for (const parsed of segments) {
    const test = reportTest(parsed.query, reading);
    try {
      if (!test) checkQuery(parsed.query, reading);
      usable.push({ ...parsed, test });
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      broken.push({ segment: parsed.segment, problem: refusalOf(error) });
    }
  }
  return { target: reading, usable, broken };
}

interface TestedSegment extends ParsedSegment {
  /** Undefined when only the question engine can evaluate the segment. */
  test: ReportTest | undefined;
}

/**
 * Where the query of a segment can be decided from a report, the report is tested. The question engine is asked about
 * the other segments, and about subjects without a report.
 */
async function findTogether(
  questions: Questions,
  organizationId: string,
  segments: readonly TestedSegment[],
  { subjectType, ids, gone, reports }: FindMovesOptions,
  reading: ReportTestOptions,
): Promise<Omit<FoundMoves, "broken">> {
  const ask = (about: readonly ParsedSegment[], of: readonly string[]) =>
    questions.changesOf(organizationId, about.map(toSegmentQuery), of, reading);

  const reported = ids.filter((id) => reports.has(id));
  const tests = reported.length === 0 ? [] : segments.flatMap(testOf);
  const tested = new Set(tests.map(({ id }) => id));
  const untested = segments.filter(({ segment }) => !tested.has(segment.id));
  const unreported = tests.length === 0 ? ids : ids.filter((id) => !reports.has(id));
  const found = await Promise.all([
    tests.length === 0 ? [] : testReports(questions, organizationId, tests, { ...reading, ids: reported }, reports),
    tests.length === 0 || untested.length === 0 ? [] : ask(untested, reported),
    unreported.length === 0 ? [] : ask(segments, unreported),
  ]);
  const changes = found.flat();
  return {
    moves: groupBySegment(segments, subjectType, changes, gone),
    movedIds: [...new Set(changes.map(({ id }) => id))],
  };
}

interface SegmentTest extends ReportTest {
  id: string;
}

function testOf({ segment, test }: TestedSegment): SegmentTest[] {
  return test ? [{ id: segment.id, ...test }] : [];
}

const NO_ANSWERS: ReadonlySet<string> = new Set();
const NO_SUBJECTS: ReadonlyMap<string, ReadonlySet<string>> = new Map();

/**
 * Compares the stored memberships with what the reports say. The question engine is asked only what reports do not
 * hold.
 */
async function testReports(
  questions: Questions,
  organizationId: string,
  tests: readonly SegmentTest[],
  asking: ReportTestOptions & { ids: readonly string[] },
  reports: Reports,
): Promise<SubjectMoves[]> {
  const open = new Map(tests.flatMap((test) => test.questions.map((question) => [question.id, question])));
  const [memberships, answers] = await Promise.all([
    questions.membershipsOf(organizationId, asking.ids),
    open.size === 0 ? NO_SUBJECTS : questions.answer(organizationId, [...open.values()], asking.ids, asking),
  ]);
  return asking.ids.flatMap((id) => {
    const report = reports.get(id) ?? {};
    const stored = new Set(memberships.get(id)?.map(({ segmentId }) => segmentId));
    const answered = answers.get(id) ?? NO_ANSWERS;
    const entered: string[] = [];
    const left: string[] = [];
    for (const { id: segmentId, fits } of tests) {
      const isMember = fits(report, answered);
      if (isMember !== stored.has(segmentId)) (isMember ? entered : left).push(segmentId);
    }
    return entered.length + left.length > 0 ? [{ id, entered, left }] : [];
  });
}

function groupBySegment(
  segments: readonly ParsedSegment[],
  subjectType: SubjectType,
  changes: readonly SubjectMoves[],
  gone: ReadonlySet<string>,
): SegmentMoves[] {
  const moves = new Map<string, SegmentMoves>(
    segments.map(({ segment }) => [
      segment.id,
      { segmentId: segment.id, segmentName: segment.name, subjectType, entered: [], left: [] },
    ]),
  );
  for (const { id, entered, left } of changes) {
    for (const segmentId of entered) moves.get(segmentId)?.entered.push(id);
    for (const segmentId of left) moves.get(segmentId)?.left.push(id);
  }
  return [...moves.values()]
    .filter(({ entered, left }) => entered.length + left.length > 0)
    .map((move) => {
      const lost = move.left.filter((id) => gone.has(id));
      return lost.length > 0 ? { ...move, gone: lost } : move;
    });
}
