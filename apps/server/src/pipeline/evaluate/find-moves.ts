import type { SubjectType } from "@muster/protocol";
import { type AttributeTypes, type ReportTest, type ReportTestOptions, reportTest } from "@muster/query";
import type { SegmentMoves } from "../../domain/changes/change-set.js";
import type { Report } from "../../domain/profiles/report.js";
import type { SubjectMoves } from "../../storage/questions/memberships.js";
import type { Questions } from "../../storage/questions/questions.js";
import { type ParsedSegment, toSegmentQuery } from "./parsed-segment.js";

/** Reports of subjects, by id, as they were just written to the question engine. Some subjects may be missing. */
export type Reports = ReadonlyMap<string, Report>;

export interface FindMovesOptions {
  subjectType: SubjectType;
  attributeTypes: AttributeTypes;
  /** The subjects to look at. */
  ids: readonly string[];
  /** Those of them that do not exist any more. */
  gone: ReadonlySet<string>;
  reports: Reports;
}

/**
 * Finds which of the segments each subject enters or leaves. Where the query of a segment can be decided from a report,
 * the report is tested. The question engine is asked about the other segments, and about subjects without a report.
 */
export async function findMoves(
  questions: Questions,
  organizationId: string,
  segments: readonly ParsedSegment[],
  { subjectType, attributeTypes, ids, gone, reports }: FindMovesOptions,
): Promise<{ moves: SegmentMoves[]; movedIds: string[] }> {
  const reading = { target: subjectType, attributeTypes, now: new Date() };
  const ask = (about: readonly ParsedSegment[], of: readonly string[]) =>
    questions.changesOf(organizationId, about.map(toSegmentQuery), of, reading);

  const reported = ids.filter((id) => reports.has(id));
  const tests = reported.length === 0 ? [] : segments.flatMap((segment) => testOf(segment, reading));
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

function testOf({ segment, query }: ParsedSegment, options: ReportTestOptions): SegmentTest[] {
  const test = reportTest(query, options);
  return test ? [{ id: segment.id, ...test }] : [];
}

const NO_ANSWERS: ReadonlySet<string> = new Set();

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
    questions.answer(organizationId, [...open.values()], asking.ids, asking),
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
