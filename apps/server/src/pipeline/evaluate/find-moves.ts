import type { SubjectType } from "@muster/protocol";
import {
  type AttributeTypes,
  type Question,
  type ReportTest,
  type ReportTestOptions,
  reportTest,
  type SegmentQuery,
} from "@muster/query";
import type { SegmentMoves } from "../../domain/changes/change-set.js";
import { Breather } from "../../runtime/loops/breather.js";
import { inParts } from "../../runtime/loops/in-parts.js";
import type { SubjectMoves } from "../../storage/questions/memberships.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { Reports } from "../project/prepare-changes.js";
import { type BrokenSegment, blame } from "./broken-segments.js";
import { type ParsedSegment, toSegmentQuery } from "./parsed-segment.js";
import type { Asked } from "./segment-index.js";

export interface FindMovesOptions {
  subjectType: SubjectType;
  attributeTypes: AttributeTypes;
  /** The subjects to look at, and the segments to evaluate for them. A subject is in one group only. */
  asked: readonly Asked[];
  /** Subjects that do not exist any more. */
  gone: ReadonlySet<string>;
  reports: Reports;
}

export interface FoundMoves {
  moves: SegmentMoves[];
  /** The segments that could not be evaluated. Their members stay the same. */
  broken: BrokenSegment[];
}

// The engine plans a statement with a hundred conditions in a tenth of a second, and one with thousands in many seconds.
const CONDITIONS_PER_QUESTION = 100;
const SUBJECTS_PER_QUESTION = 4_000;

/**
 * Finds which of their segments subjects enter or leave. When the question about all segments fails, the halves are
 * asked about, and so on, so that a broken segment does not block the others.
 */
export async function findMoves(
  questions: Questions,
  organizationId: string,
  about: FindMovesOptions,
): Promise<FoundMoves> {
  const segments = [...new Set(about.asked.flatMap((group) => group.segments))];
  const { subjectType, attributeTypes, gone } = about;
  const reading = { target: subjectType, attributeTypes, now: new Date() };
  try {
    const tests = new Map(segments.map((segment) => [segment, reportTest(segment.query, reading)]));
    const changes = await findTogether(questions, organizationId, { ...about, tests, reading });
    return { moves: groupBySegment(segments, subjectType, changes, gone), broken: [] };
  } catch (error) {
    const [only] = segments;
    if (!only) throw error;
    if (segments.length === 1) return { moves: [], broken: [await blame(only.segment, error, questions)] };
    const half = new Set(segments.slice(0, Math.floor(segments.length / 2)));
    const rest = new Set(segments.filter((segment) => !half.has(segment)));
    const first = await findMoves(questions, organizationId, { ...about, asked: onlyOf(about.asked, half) });
    const second = await findMoves(questions, organizationId, { ...about, asked: onlyOf(about.asked, rest) });
    return {
      moves: [...first.moves, ...second.moves],
      broken: [...first.broken, ...second.broken],
    };
  }
}

function onlyOf(asked: readonly Asked[], kept: ReadonlySet<ParsedSegment>): Asked[] {
  return asked.map(({ ids, segments }) => ({ ids, segments: segments.filter((segment) => kept.has(segment)) }));
}

/** Segments with their tests. Undefined instead of a test: only the question engine can evaluate the segment. */
type Tests = ReadonlyMap<ParsedSegment, ReportTest | undefined>;

interface FindTogetherOptions extends FindMovesOptions {
  tests: Tests;
  reading: ReportTestOptions;
}

/**
 * Where the query of a segment can be decided from a report, the report is tested. The question engine is asked about
 * the other segments, and about subjects without a report.
 */
async function findTogether(
  questions: Questions,
  organizationId: string,
  { asked, reports, tests, reading }: FindTogetherOptions,
): Promise<SubjectMoves[]> {
  const toTest: TestedGroup[] = [];
  const toAsk: Wanted<SegmentQuery>[] = [];
  for (const { ids, segments } of asked) {
    const reported = ids.filter((id) => reports.has(id));
    const tested = segments.flatMap((segment) => testOf(segment, tests));
    const untested = segments.filter((segment) => !tests.get(segment));
    if (reported.length > 0 && tested.length > 0) toTest.push({ ids: reported, tests: tested });
    for (const segment of untested) toAsk.push({ item: toSegmentQuery(segment), ids: reported });
    const unreported = reported.length === ids.length ? [] : ids.filter((id) => !reports.has(id));
    for (const segment of segments) toAsk.push({ item: toSegmentQuery(segment), ids: unreported });
  }
  const [tested, answered] = await Promise.all([
    testReports(questions, organizationId, toTest, { ...reading, reports }),
    inTurn(toAsk, async ({ items, ids, isWanted }) => {
      const found = await questions.changesOf(organizationId, items, ids, reading);
      // What is not wanted of the engine is decided by reports.
      return found.map(({ id, entered, left }) => ({
        id,
        entered: entered.filter((segmentId) => isWanted(segmentId, id)),
        left: left.filter((segmentId) => isWanted(segmentId, id)),
      }));
    }),
  ]);
  return [...tested, ...answered.flat()];
}

interface SegmentTest extends ReportTest {
  id: string;
}

interface TestedGroup {
  ids: readonly string[];
  tests: readonly SegmentTest[];
}

function testOf(parsed: ParsedSegment, tests: Tests): SegmentTest[] {
  const test = tests.get(parsed);
  return test ? [{ id: parsed.segment.id, ...test }] : [];
}

const NO_ANSWERS: ReadonlySet<string> = new Set();

/**
 * Compares the stored memberships with what the reports say. The question engine is asked only what reports do not
 * hold.
 */
async function testReports(
  questions: Questions,
  organizationId: string,
  groups: readonly TestedGroup[],
  { reports, ...reading }: ReportTestOptions & { reports: Reports },
): Promise<SubjectMoves[]> {
  const ids = groups.flatMap((group) => group.ids);
  if (ids.length === 0) return [];
  const open = groups.flatMap((group) =>
    group.tests.flatMap((test) => test.questions.map((item): Wanted<Question> => ({ item, ids: group.ids }))),
  );
  const [memberships, found] = await Promise.all([
    questions.membershipsOf(organizationId, ids),
    inTurn(open, (page) => questions.answer(organizationId, page.items, page.ids, reading)),
  ]);
  const answers = new Map<string, Set<string>>();
  for (const [id, fitting] of found.flatMap((page) => [...page])) {
    const known = answers.get(id);
    if (known) for (const question of fitting) known.add(question);
    else answers.set(id, new Set(fitting));
  }
  const moves: SubjectMoves[] = [];
  const breather = new Breather();
  for (const { ids: tested, tests } of groups) {
    for (const id of tested) {
      if (breather.isDue) await breather.pause();
      const report = reports.get(id) ?? {};
      const stored = new Set(memberships.get(id)?.map(({ segmentId }) => segmentId));
      const answered = answers.get(id) ?? NO_ANSWERS;
      const entered: string[] = [];
      const left: string[] = [];
      for (const { id: segmentId, fits } of tests) {
        const isMember = fits(report, answered);
        if (isMember !== stored.has(segmentId)) (isMember ? entered : left).push(segmentId);
      }
      if (entered.length + left.length > 0) moves.push({ id, entered, left });
    }
  }
  return moves;
}

/** Something that the engine is to be asked, and about whom. */
interface Wanted<Item extends { readonly id: string }> {
  item: Item;
  ids: readonly string[];
}

interface WantedPage<Item> {
  items: readonly Item[];
  ids: readonly string[];
  /** Whether an item is wanted about a subject. Beside that, the engine answers each item about each subject of the page. */
  isWanted(itemId: string, id: string): boolean;
}

/** Asks the engine in turn about a bounded number of items and subjects. */
async function inTurn<Item extends { readonly id: string }, Answer>(
  wanted: readonly Wanted<Item>[],
  ask: (page: WantedPage<Item>) => Promise<Answer>,
): Promise<Answer[]> {
  const byItem = new Map<string, { item: Item; ids: Set<string> }>();
  for (const { item, ids } of wanted) {
    if (ids.length === 0) continue;
    const known = byItem.get(item.id);
    if (!known) byItem.set(item.id, { item, ids: new Set(ids) });
    else for (const id of ids) known.ids.add(id);
  }
  const isWanted = (itemId: string, id: string) => byItem.get(itemId)?.ids.has(id) ?? false;
  const answers: Answer[] = [];
  for (const page of inParts([...byItem.values()], CONDITIONS_PER_QUESTION)) {
    const items = page.map(({ item }) => item);
    const ids = [...new Set(page.flatMap((one) => [...one.ids]))];
    for (const some of inParts(ids, SUBJECTS_PER_QUESTION)) answers.push(await ask({ items, ids: some, isWanted }));
  }
  return answers;
}

/** Moves of subjects, by segment. */
export function groupBySegment(
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
