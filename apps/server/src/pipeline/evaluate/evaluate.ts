import type { SubjectType } from "@muster/protocol";
import {
  type AttributeTypes,
  parse,
  type Query,
  queryDependencies,
  type ReportTest,
  type ReportTestOptions,
  reportTest,
} from "@muster/query";
import { loadAttributeTypes } from "../../audience/attribute-definitions.js";
import type { MembershipMove } from "../../domain/changes/change-set.js";
import type { Report } from "../../domain/changes/report.js";
import { findUsersOfAccounts } from "../../storage/postgres/profiles/profiles.js";
import { listSegments, type Segment } from "../../storage/postgres/segments/segments.js";
import type { MembershipChange } from "../../storage/questions/memberships.js";
import type { Questions } from "../../storage/questions/questions.js";
import { type Cause, type MoveOptions, makeMoves } from "./make-moves.js";

/** Subjects that may be in other segments now, and those among them that do not exist any more. */
export interface Touched {
  user: ReadonlySet<string>;
  account: ReadonlySet<string>;
  /** Accounts that are as they were, but whose users did something. */
  activeAccount: ReadonlySet<string>;
  gone: ReadonlySet<string>;
}

/** The reports of touched subjects as they were just written; some may be missing. */
export type Reports = ReadonlyMap<string, Report>;

/** What moved, and the changes that say so. */
export interface Evaluated {
  moves: MembershipMove[];
  sequences: number[];
}

// Segments may ask about other segments; a chain longer than this settles with the next change or sweep.
const MAX_PASSES = 4;

interface ParsedSegment {
  segment: Segment;
  query: Query;
  readsAccounts: boolean;
  readsSegments: boolean;
}

/**
 * Finds which segments the touched subjects entered or left, from their reports where these tell, else with one query for
 * all segments, and makes it so: a change of its own in the change log, memberships and events in the question engine.
 */
export async function evaluateTouched(
  options: MoveOptions,
  organizationId: string,
  touched: Touched,
  cause: Cause,
  reports: Reports,
): Promise<Evaluated> {
  const segments = (await listSegments(options.database, organizationId)).map(parseSegment);
  return settle(options, organizationId, segments, touched, { cause, reports });
}

/** Looks at everybody for one segment, and moves at most `limit` of them. Returns how many moved. */
export async function evaluateSegment(
  options: MoveOptions,
  organizationId: string,
  segment: Segment,
  limit: number,
  cause: Cause,
): Promise<number> {
  const { subjectType, name } = segment;
  const attributeTypes = await loadAttributeTypes(options.database, organizationId);
  const reading = { target: subjectType, attributeTypes, now: new Date() };
  const asked = toQuery(parseSegment(segment));
  const { entered, left } = await options.questions.changesOfSegment(organizationId, asked, limit, reading);
  const movedIds = [...entered, ...left];
  if (movedIds.length === 0) return 0;
  const move = { segmentId: segment.id, segmentName: name, subjectType, entered, left };
  await makeMoves(options, organizationId, [move], cause);
  await followMoves(options, organizationId, subjectType, movedIds, cause);
  return movedIds.length;
}

/** Looks at those who moved for the segments that ask about segments. */
export async function followMoves(
  options: MoveOptions,
  organizationId: string,
  subjectType: SubjectType,
  movedIds: readonly string[],
  cause: Cause,
): Promise<void> {
  if (movedIds.length === 0) return;
  const segments = (await listSegments(options.database, organizationId)).map(parseSegment);
  const touched = {
    user: NOBODY,
    account: NOBODY,
    activeAccount: NOBODY,
    gone: NOBODY,
    [subjectType]: new Set(movedIds),
  };
  const asking = segments.filter(({ readsSegments }) => readsSegments);
  if (asking.length === 0) return;
  await settle(options, organizationId, asking, touched, { cause, reports: NO_REPORTS });
}

const NOBODY: ReadonlySet<string> = new Set();
const NO_REPORTS: Reports = new Map();

/** Makes segments true for some subjects, and those that ask about segments after them. */
async function settle(
  options: MoveOptions,
  organizationId: string,
  segments: readonly ParsedSegment[],
  touched: Touched,
  { cause, reports }: { cause: Cause; reports: Reports },
): Promise<Evaluated> {
  const evaluated: Evaluated = { moves: [], sequences: [] };
  if (segments.length === 0) return evaluated;
  const attributeTypes = await loadAttributeTypes(options.database, organizationId);
  const movedAccounts = new Set<string>();
  // Accounts first: users may ask about their account's segments.
  for (const subjectType of ["account", "user"] as const) {
    let asked = segments.filter(({ segment }) => segment.subjectType === subjectType);
    let ids = await idsToAsk(options, organizationId, subjectType, { touched, movedAccounts, asked });
    for (let pass = 0; pass < MAX_PASSES && asked.length > 0 && ids.length > 0; pass++) {
      const { moves, movedIds } = await movesOf(options, organizationId, asked, {
        subjectType,
        attributeTypes,
        ids,
        gone: touched.gone,
        reports,
      });
      if (moves.length === 0) break;
      evaluated.sequences.push(await makeMoves(options, organizationId, moves, cause));
      for (const move of moves) evaluated.moves.push(move);
      if (subjectType === "account") for (const id of movedIds) movedAccounts.add(id);
      asked = asked.filter(({ readsSegments }) => readsSegments);
      ids = movedIds;
    }
  }
  return evaluated;
}

/** A changed account, or one that moved, may move its users, when some segment of users asks about accounts. */
async function idsToAsk(
  { database }: MoveOptions,
  organizationId: string,
  subjectType: SubjectType,
  about: { touched: Touched; movedAccounts: ReadonlySet<string>; asked: readonly ParsedSegment[] },
): Promise<string[]> {
  const { touched, movedAccounts, asked } = about;
  if (subjectType === "account") return [...new Set([...touched.account, ...touched.activeAccount])];
  const accounts = [...new Set([...touched.account, ...movedAccounts])];
  if (accounts.length === 0 || !asked.some(({ readsAccounts }) => readsAccounts)) return [...touched.user];
  return [...new Set([...touched.user, ...(await findUsersOfAccounts(database, organizationId, accounts))])];
}

interface AskOptions {
  subjectType: SubjectType;
  attributeTypes: AttributeTypes;
  ids: readonly string[];
  gone: ReadonlySet<string>;
  reports: Reports;
}

async function movesOf(
  { questions }: MoveOptions,
  organizationId: string,
  asked: readonly ParsedSegment[],
  { subjectType, attributeTypes, ids, gone, reports }: AskOptions,
): Promise<{ moves: MembershipMove[]; movedIds: string[] }> {
  const reading = { target: subjectType, attributeTypes, now: new Date() };
  const ask = (segments: readonly ParsedSegment[], of: readonly string[]) =>
    questions.changesOf(organizationId, segments.map(toQuery), of, reading);

  const known = ids.filter((id) => reports.has(id));
  const tests = known.length === 0 ? [] : asked.flatMap((segment) => testOf(segment, reading));
  const tested = new Set(tests.map(({ id }) => id));
  const untested = asked.filter(({ segment }) => !tested.has(segment.id));
  const unknown = tests.length === 0 ? ids : ids.filter((id) => !reports.has(id));
  const diffs = await Promise.all([
    tests.length === 0 ? [] : testMemberships(questions, organizationId, tests, { ...reading, ids: known }, reports),
    tests.length === 0 || untested.length === 0 ? [] : ask(untested, known),
    unknown.length === 0 ? [] : ask(asked, unknown),
  ]);
  const diff = diffs.flat();
  return {
    moves: groupBySegment(asked, subjectType, diff, gone),
    movedIds: [...new Set(diff.map(({ id }) => id))],
  };
}

function toQuery({ segment, query }: ParsedSegment) {
  return { id: segment.id, query };
}

function testOf({ segment, query }: ParsedSegment, options: ReportTestOptions): SegmentTest[] {
  const test = reportTest(query, options);
  return test ? [{ id: segment.id, ...test }] : [];
}

interface SegmentTest extends ReportTest {
  id: string;
}

/** What must change, by testing reports: the question engine is asked only what they do not tell. */
async function testMemberships(
  questions: Questions,
  organizationId: string,
  tests: readonly SegmentTest[],
  asking: ReportTestOptions & { ids: readonly string[] },
  reports: Reports,
): Promise<MembershipChange[]> {
  const open = new Map(tests.flatMap((test) => test.questions.map((question) => [question.id, question])));
  const [memberships, answers] = await Promise.all([
    questions.membershipsOf(organizationId, asking.ids),
    questions.answer(organizationId, [...open.values()], asking.ids, asking),
  ]);
  return asking.ids.flatMap((id) => {
    const report = reports.get(id) ?? {};
    const stored = new Set(memberships.get(id)?.map(({ segmentId }) => segmentId));
    const answered = answers.get(id) ?? NOBODY;
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
  asked: readonly ParsedSegment[],
  subjectType: SubjectType,
  diff: readonly MembershipChange[],
  gone: ReadonlySet<string>,
): MembershipMove[] {
  const moves = new Map<string, MembershipMove>(
    asked.map(({ segment }) => [
      segment.id,
      { segmentId: segment.id, segmentName: segment.name, subjectType, entered: [], left: [] },
    ]),
  );
  for (const { id, entered, left } of diff) {
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

function parseSegment(segment: Segment): ParsedSegment {
  const query = parse(segment.query, { target: segment.subjectType });
  const reads = queryDependencies(query, segment.subjectType);
  return {
    segment,
    query,
    readsAccounts: segment.subjectType === "user" && reads.account.length > 0,
    readsSegments: reads.anySegment || reads.segments.length > 0,
  };
}
