import type { SubjectType } from "@muster/protocol";
import type { AttributeTypes } from "@muster/query";
import type { SegmentMoves } from "../../domain/changes/change-set.js";
import { findUsersOfAccounts } from "../../storage/postgres/profiles/profiles.js";
import { listBrokenSegments, requestScans } from "../../storage/postgres/segments/segments.js";
import type { UnprojectedChange } from "../buffers/change-buffer.js";
import type { Reports } from "../project/prepare-changes.js";
import { noteBroken } from "./broken-segments.js";
import { findMoves } from "./find-moves.js";
import { type LoadedSegments, loadParsedSegments } from "./loaded-segments.js";
import type { ParsedSegment } from "./parsed-segment.js";
import { type EvaluateOptions, type EvaluationCause, recordMoves } from "./record-moves.js";
import type { Asked, SegmentIndex } from "./segment-index.js";
import { type TouchedSubjects, touchedBy, touchedByMoves } from "./touched-by.js";
import { whileWriting } from "./while-writing.js";

// Segments may ask about other segments. What a longer chain moves is left to a scan.
const MAX_PASSES = 8;
const NOBODY: ReadonlySet<string> = new Set();
const NO_REPORTS: Reports = new Map();
// The users of larger accounts are left to a scan: an account may have a million.
const MAX_USERS_OF_ACCOUNTS = 2_000;

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
): Promise<void> {
  const cause = changes.at(-1);
  if (!cause) return;
  const options = { ...given, questions: whileWriting(given.questions, written) };
  const touched = touchedBy(changes);
  // The engine removes the memberships of subjects that do not exist any more.
  if (touched.gone.size > 0) await written;
  const loaded = await segments;
  await noteBroken(options, organizationId, loaded.broken);
  await leaveBroken(options, organizationId, touched.gone, cause);
  await evaluate(options, organizationId, loaded, { touched, cause, reports });
}

/** Lets subjects that do not exist any more leave the segments that cannot be evaluated, which keep all other members. */
async function leaveBroken(
  options: EvaluateOptions,
  organizationId: string,
  gone: ReadonlySet<string>,
  cause: EvaluationCause,
): Promise<void> {
  if (gone.size === 0) return;
  const broken = await listBrokenSegments(options.database, organizationId);
  if (broken.length === 0) return;
  const memberships = await options.questions.membershipsOf(organizationId, [...gone]);
  const moves = broken.flatMap(({ id: segmentId, name: segmentName, subjectType }) => {
    const left = [...gone].filter((id) =>
      memberships.get(id)?.some((membership) => membership.segmentId === segmentId),
    );
    return left.length === 0 ? [] : [{ segmentId, segmentName, subjectType, entered: [], left, gone: left }];
  });
  if (moves.length > 0) await recordMoves(options, organizationId, moves, cause);
}

interface EvaluationRequest {
  touched: TouchedSubjects;
  cause: EvaluationCause;
  reports: Reports;
}

/**
 * Evaluates for touched subjects the segments that ask about what has changed: accounts first, because users may ask
 * about the segments of their account.
 */
async function evaluate(
  options: EvaluateOptions,
  organizationId: string,
  segments: Pick<LoadedSegments, "user" | "account" | "attributeTypes">,
  request: EvaluationRequest,
): Promise<void> {
  const { touched } = request;
  const { attributeTypes } = segments;
  const pass = { options, organizationId, attributeTypes, request };
  options.sweeps.noteTouched(organizationId, [...touched.user.keys(), ...touched.account.keys()]);

  const moved = touchedByMoves(
    await evaluateInPasses(pass, "account", segments.account, segments.account.ask(touched.account)),
  );
  const affected = new Set([
    ...segments.user.affectedByAccounts(touched.account),
    ...segments.user.affectedByAccounts(moved),
  ]);
  const asked = segments.user.ask(touched.user);
  const ofAccounts = await usersOfAccounts(pass, [...touched.account.keys(), ...moved.keys()], [...affected]);
  await evaluateInPasses(pass, "user", segments.user, withUsersOfAccounts(asked, ofAccounts));
}

interface PassOptions {
  options: EvaluateOptions;
  organizationId: string;
  attributeTypes: AttributeTypes;
  request: EvaluationRequest;
}

/**
 * The users of accounts that have changed or moved, with the segments that ask about it. When they are many, all users
 * are compared with these segments soon instead.
 */
async function usersOfAccounts(
  { options, organizationId }: PassOptions,
  accountIds: readonly string[],
  segments: readonly ParsedSegment[],
): Promise<Asked> {
  if (segments.length === 0) return { ids: [], segments };
  const { database } = options;
  const ids = await findUsersOfAccounts(database, organizationId, accountIds, MAX_USERS_OF_ACCOUNTS + 1);
  if (ids.length <= MAX_USERS_OF_ACCOUNTS) {
    options.sweeps.noteTouched(organizationId, ids);
    return { ids, segments };
  }
  await scanLater(options, organizationId, segments);
  return { ids: [], segments };
}

/** Compares all subjects with segments soon, in a sweep. */
async function scanLater(
  { database, lease, sweeps }: EvaluateOptions,
  organizationId: string,
  segments: readonly ParsedSegment[],
): Promise<void> {
  await database.transaction(async (tx) => {
    await lease.confirm(tx);
    await requestScans(
      tx,
      organizationId,
      segments.map(({ segment }) => segment.id),
      new Date(),
    );
  });
  sweeps.request(organizationId);
}

function withUsersOfAccounts(asked: readonly Asked[], added: Asked): Asked[] {
  if (added.ids.length === 0) return [...asked];
  const ids = new Set(added.ids);
  const groups = asked.flatMap((group) => {
    const both = group.ids.filter((id) => ids.has(id));
    if (both.length === 0) return [group];
    const alone = group.ids.filter((id) => !ids.has(id));
    for (const id of both) ids.delete(id);
    const segments = [...new Set([...group.segments, ...added.segments])];
    return [
      { ids: alone, segments: group.segments },
      { ids: both, segments },
    ];
  });
  return [...groups, { ids: [...ids], segments: added.segments }];
}

/**
 * Evaluates segments for subjects. The next pass evaluates the segments that ask about what has moved in the pass
 * before. Returns all moves.
 */
async function evaluateInPasses(
  { options, organizationId, attributeTypes, request }: PassOptions,
  subjectType: SubjectType,
  index: SegmentIndex,
  asked: readonly Asked[],
): Promise<SegmentMoves[]> {
  const all: SegmentMoves[] = [];
  const { gone } = request.touched;
  const { cause, reports } = request;
  const brokenIds = new Set<string>();
  let toAsk = asked;
  for (let pass = 0; toAsk.length > 0; pass++) {
    if (pass === MAX_PASSES) {
      await scanLater(options, organizationId, [...new Set(toAsk.flatMap(({ segments }) => segments))]);
      return all;
    }
    const about = { subjectType, attributeTypes, asked: toAsk, gone, reports };
    const { moves, broken } = await findMoves(options.questions, organizationId, about);
    await noteBroken(options, organizationId, broken);
    for (const { segment } of broken) brokenIds.add(segment.id);
    if (moves.length === 0) return all;
    await recordMoves(options, organizationId, moves, cause);
    all.push(...moves);
    toAsk = index.ask(touchedByMoves(moves)).map(({ ids, segments }) => ({
      ids,
      segments: segments.filter(({ segment }) => !brokenIds.has(segment.id)),
    }));
  }
  return all;
}

/** Evaluates the segments that ask about segments, or count the events about moves, for subjects that have moved. */
export async function followMoves(
  options: EvaluateOptions,
  organizationId: string,
  moves: readonly SegmentMoves[],
  cause: EvaluationCause,
): Promise<void> {
  const movesOf = (type: SubjectType) => touchedByMoves(moves.filter(({ subjectType }) => subjectType === type));
  const touched = { user: movesOf("user"), account: movesOf("account"), gone: NOBODY };
  const segments = await loadParsedSegments(options.database, organizationId);
  await evaluate(options, organizationId, segments, { touched, cause, reports: NO_REPORTS });
}
