import type { SubjectType } from "@muster/protocol";
import { type AttributeTypes, checkQuery } from "@muster/query";
import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import type { Database } from "../../storage/postgres/database.js";
import { findUsersOfAccounts } from "../../storage/postgres/profiles/profiles.js";
import { listBrokenSegments, type Segment } from "../../storage/postgres/segments/segments.js";
import type { UnprojectedChange } from "../buffers/change-buffer.js";
import type { Reports } from "../project/prepare-changes.js";
import { type BrokenSegment, blame, noteBroken } from "./broken-segments.js";
import { findMoves } from "./find-moves.js";
import {
  type LoadedSegments,
  loadParsedSegments,
  type ParsedSegment,
  parseSegment,
  toSegmentQuery,
} from "./parsed-segment.js";
import { type EvaluateOptions, type EvaluationCause, type RecordedMoves, recordMoves } from "./record-moves.js";
import { type TouchedSubjects, touchedBy } from "./touched-by.js";
import { whileWriting } from "./while-writing.js";

// Segments may ask about other segments. A chain that is longer than this is completed by the next change or sweep.
const MAX_PASSES = 4;
const NOBODY: ReadonlySet<string> = new Set();
const NO_REPORTS: Reports = new Map();

/** Changes that are being written to the question engine. */
export interface ChangesToEvaluate {
  changes: readonly UnprojectedChange[];
  /** The reports that are written. */
  reports: Reports;
  segments: Promise<LoadedSegments>;
  /** Settles when the question engine has the changes. */
  written: Promise<void>;
}

/**
 * The evaluate stage: finds which segments the subjects of consecutive changes have entered or left, and records it. It
 * waits for the question engine only with what reports and stored memberships do not answer.
 */
export async function evaluateChanges(
  given: EvaluateOptions,
  organizationId: string,
  { changes, reports, segments, written }: ChangesToEvaluate,
): Promise<RecordedMoves[]> {
  const cause = changes.at(-1);
  if (!cause) return [];
  const options = { ...given, questions: whileWriting(given.questions, written) };
  const touched = touchedBy(changes);
  // The engine removes the memberships of subjects that do not exist any more.
  if (touched.gone.size > 0) await written;
  const loaded = await segments;
  await noteBroken(options, organizationId, loaded.broken);
  const left = await leaveBroken(options, organizationId, touched.gone, cause);
  return [...left, ...(await evaluate(options, organizationId, loaded, { touched, cause, reports }))];
}

/** Lets subjects that do not exist any more leave the segments that cannot be evaluated, which keep all other members. */
async function leaveBroken(
  options: EvaluateOptions,
  organizationId: string,
  gone: ReadonlySet<string>,
  cause: EvaluationCause,
): Promise<RecordedMoves[]> {
  if (gone.size === 0) return [];
  const broken = await listBrokenSegments(options.database, organizationId);
  if (broken.length === 0) return [];
  const memberships = await options.questions.membershipsOf(organizationId, [...gone]);
  const moves = broken.flatMap(({ id: segmentId, name: segmentName, subjectType }) => {
    const left = [...gone].filter((id) =>
      memberships.get(id)?.some((membership) => membership.segmentId === segmentId),
    );
    return left.length === 0 ? [] : [{ segmentId, segmentName, subjectType, entered: [], left, gone: left }];
  });
  if (moves.length === 0) return [];
  return [{ sequence: await recordMoves(options, organizationId, moves, cause), moves }];
}

/**
 * Compares all subjects with one segment, and moves at most `limit` of them. Returns how many moved, or the reason why
 * the segment cannot be evaluated.
 */
export async function evaluateSegment(
  options: EvaluateOptions,
  organizationId: string,
  segment: Segment,
  limit: number,
  cause: EvaluationCause,
): Promise<number | BrokenSegment> {
  const { subjectType, name } = segment;
  const found = await askSegment(options, organizationId, segment, limit);
  if ("problem" in found) return found;
  const { entered, left } = found;
  const movedIds = [...entered, ...left];
  if (movedIds.length === 0) return 0;
  const move = { segmentId: segment.id, segmentName: name, subjectType, entered, left };
  await recordMoves(options, organizationId, [move], cause);
  await followMoves(options, organizationId, subjectType, movedIds, cause);
  return movedIds.length;
}

async function askSegment(
  { database, questions }: EvaluateOptions,
  organizationId: string,
  segment: Segment,
  limit: number,
): Promise<{ entered: string[]; left: string[] } | BrokenSegment> {
  const attributeTypes = await loadAttributeTypes(database, organizationId);
  const reading = { target: segment.subjectType, attributeTypes, now: new Date() };
  try {
    const parsed = parseSegment(segment);
    checkQuery(parsed.query, reading);
    return await questions.changesOfSegment(organizationId, toSegmentQuery(parsed), limit, reading);
  } catch (error) {
    return blame(segment, error, questions);
  }
}

/** Evaluates the segments that ask about segments, for subjects that have moved. */
export async function followMoves(
  options: EvaluateOptions,
  organizationId: string,
  subjectType: SubjectType,
  movedIds: readonly string[],
  cause: EvaluationCause,
): Promise<void> {
  if (movedIds.length === 0) return;
  const { parsed, attributeTypes } = await loadParsedSegments(options.database, organizationId);
  const asking = parsed.filter(({ readsSegments }) => readsSegments);
  const touched = {
    user: NOBODY,
    account: NOBODY,
    activeAccount: NOBODY,
    gone: NOBODY,
    [subjectType]: new Set(movedIds),
  };
  const segments = { parsed: asking, attributeTypes };
  await evaluate(options, organizationId, segments, { touched, cause, reports: NO_REPORTS });
}

interface EvaluationRequest {
  touched: TouchedSubjects;
  cause: EvaluationCause;
  reports: Reports;
}

/**
 * Evaluates segments for touched subjects: accounts first, because users may ask about the segments of their account.
 */
async function evaluate(
  options: EvaluateOptions,
  organizationId: string,
  { parsed, attributeTypes }: Pick<LoadedSegments, "parsed" | "attributeTypes">,
  request: EvaluationRequest,
): Promise<RecordedMoves[]> {
  const result: RecordedMoves[] = [];
  if (parsed.length === 0) return result;
  const { touched } = request;
  const ofUsers = parsed.filter(({ segment }) => segment.subjectType === "user");
  const ofAccounts = parsed.filter(({ segment }) => segment.subjectType === "account");
  const pass = { options, organizationId, attributeTypes, request, result };

  const accountIds = [...new Set([...touched.account, ...touched.activeAccount])];
  const movedAccounts = await evaluateInPasses(pass, "account", ofAccounts, accountIds);
  const userIds = await usersToEvaluate(options.database, organizationId, ofUsers, touched, movedAccounts);
  await evaluateInPasses(pass, "user", ofUsers, userIds);
  return result;
}

/** A changed account, or one that moved, may move its users, when some segment of users asks about accounts. */
async function usersToEvaluate(
  database: Database,
  organizationId: string,
  segments: readonly ParsedSegment[],
  touched: TouchedSubjects,
  movedAccounts: ReadonlySet<string>,
): Promise<string[]> {
  const accounts = [...new Set([...touched.account, ...movedAccounts])];
  if (accounts.length === 0 || !segments.some(({ readsAccounts }) => readsAccounts)) return [...touched.user];
  return [...new Set([...touched.user, ...(await findUsersOfAccounts(database, organizationId, accounts))])];
}

interface PassOptions {
  options: EvaluateOptions;
  organizationId: string;
  attributeTypes: AttributeTypes;
  request: EvaluationRequest;
  /** Where moves are added. */
  result: RecordedMoves[];
}

/**
 * Evaluates segments for subjects. The next pass evaluates the segments that ask about segments, for those who have
 * moved in the pass before. Returns the ids of all who moved.
 */
async function evaluateInPasses(
  { options, organizationId, attributeTypes, request, result }: PassOptions,
  subjectType: SubjectType,
  segments: readonly ParsedSegment[],
  ids: readonly string[],
): Promise<Set<string>> {
  const { gone } = request.touched;
  const { cause, reports } = request;
  const moved = new Set<string>();
  let asked = segments;
  let toAsk = ids;
  for (let pass = 0; pass < MAX_PASSES && asked.length > 0 && toAsk.length > 0; pass++) {
    const about = { subjectType, attributeTypes, ids: toAsk, gone, reports };
    const { moves, movedIds, broken } = await findMoves(options.questions, organizationId, asked, about);
    await noteBroken(options, organizationId, broken);
    const brokenIds = new Set(broken.map(({ segment }) => segment.id));
    if (moves.length === 0) break;
    result.push({ sequence: await recordMoves(options, organizationId, moves, cause), moves });
    for (const id of movedIds) moved.add(id);
    asked = asked.filter(({ segment, readsSegments }) => readsSegments && !brokenIds.has(segment.id));
    toAsk = movedIds;
  }
  return moved;
}
