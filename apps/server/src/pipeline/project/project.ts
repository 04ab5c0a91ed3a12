import type { Logger } from "pino";
import { LANE } from "../../domain/entries/lanes.js";
import {
  type LoggedChange,
  type ProjectCursor,
  readChangeTimes,
  readNextChanges,
  saveProjectCursor,
} from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import { readRevisions } from "../../storage/postgres/definitions/revisions.js";
import type { NotifyCursor } from "../../storage/postgres/delivery/outbox.js";
import type { LagRecorder } from "../../storage/postgres/figures/lag-recorder.js";
import type { WorkClaim } from "../../storage/postgres/leases/work-claim.js";
import type { Questions } from "../../storage/questions/questions.js";
import { evaluateTouched, type TouchedSubjects } from "../evaluate/evaluate.js";
import { loadParsedSegments } from "../evaluate/parsed-segment.js";
import { finishAndReadMoves, type RecordedMoves } from "../evaluate/record-moves.js";
import { type NotifyOptions, notifyChanges } from "../notify/notify.js";
import type { CatchUp } from "./catch-up.js";
import type { ChangeBuffer, UnprojectedChange } from "./change-buffer.js";
import { goneIds, prepareChanges } from "./prepare-changes.js";
import { whileWriting } from "./while-writing.js";

export interface ProjectOptions {
  database: Database;
  questions: Questions;
  maxAttributes: number;
  /** Where the next changes may be, besides the change log. */
  changeBuffer: ChangeBuffer;
  lags: Pick<LagRecorder, "add">;
  notify: NotifyOptions;
  logger: Logger;
}

/** What a step of one organization needs. */
export interface ProjectStepOptions extends ProjectOptions {
  /** The claim of this process on the project stage of the organization. */
  claim: WorkClaim;
}

/** Where a step begins. */
export interface ProjectBegin {
  cursor: ProjectCursor;
  notified: NotifyCursor;
}

// Several micro-batches that wait are written together: a columnar engine is faster with few large writes.
const CHANGES_PER_STEP = 16;

/**
 * Writes the next changes of an organization to the question engine, evaluates segments, notifies connectors and
 * advances the cursor. Each of these recognizes what it has done before, so that a step may be repeated after a crash.
 * Connectors need not wait for the question engine: while it writes, messages are queued, and segments are evaluated as
 * far as reports answer them. False when nothing waits.
 */
export async function projectNext(
  options: ProjectStepOptions,
  organizationId: string,
  { cursor, notified }: ProjectBegin,
  catchUp: Pick<CatchUp, "completeAt" | "checkAgain">,
): Promise<boolean> {
  const { changes, later } = await nextChanges(options, organizationId, cursor.sequence);
  const last = changes.at(-1);
  if (!last) return false;
  const { database, questions, claim } = options;
  // After the changes are taken, so that all attributes in them are defined. A segment that is created or edited from here
  // on is swept afterwards.
  const revisions = await readRevisions(database, organizationId);
  const completeAt = catchUp.completeAt(organizationId);
  const mode = { withDocuments: true, isReplay: false, revisions, ...(completeAt === undefined ? {} : { completeAt }) };
  const segments = loadParsedSegments(database, organizationId, revisions);
  // Its error is thrown where the segments are needed.
  segments.catch(() => undefined);
  const { step, reports, isAhead } = await prepareChanges(options, organizationId, changes, mode);
  if (isAhead) catchUp.checkAgain(organizationId);
  const written = questions.writeChanges(organizationId, step);
  const evaluateAndTell = async () => {
    const evaluating = { ...options, questions: whileWriting(questions, written) };
    const touched = touchedBy(changes);
    // The engine removes the memberships of those who are gone.
    if (touched.gone.size > 0) await written;
    const request = { touched, cause: last, reports };
    const evaluations = await evaluateTouched(evaluating, organizationId, await segments, request);
    // What was decided before is told before, so that connectors get the moves of a subject in their order.
    const told = { changes, evaluations: [...later, ...evaluations], notified, revisions };
    await notifyChanges(options.notify, organizationId, claim, told);
  };
  // Both are waited for, also when one fails: the next step must not find this one still at work.
  const ends = await Promise.allSettled([written, evaluateAndTell()]);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  await database.transaction((tx) =>
    Promise.all([claim.confirm(tx), saveProjectCursor(tx, organizationId, cursor, advance(cursor, changes))]),
  );
  await noteLags(options, organizationId, changes);
  return true;
}

/** Notes how long the records of changes took to become searchable. */
async function noteLags(
  { database, lags }: ProjectStepOptions,
  organizationId: string,
  changes: readonly UnprojectedChange[],
): Promise<void> {
  // Bulk work waits on purpose, and an evaluation is no record.
  const counted = changes.filter(({ lane, change }) => lane !== LANE.bulk && !change.evaluation);
  const unknown = counted.filter(({ appliedAt }) => appliedAt === undefined).map(({ sequence }) => sequence);
  const times = unknown.length > 0 ? await readChangeTimes(database, organizationId, unknown) : undefined;
  for (const { sequence, change, appliedAt = times?.get(sequence) } of counted) {
    const records = Math.max(1, change.events.length, change.users.length + change.accounts.length);
    if (appliedAt !== undefined) lags.add(organizationId, "search", appliedAt, records);
  }
}

interface NextChanges {
  changes: readonly UnprojectedChange[];
  /** Moves that are recorded further on in the log: by a sweep, or by a process that failed after it. */
  later: readonly RecordedMoves[];
}

/** The changes after a sequence, from the buffer or else from the change log. */
async function nextChanges(options: ProjectStepOptions, organizationId: string, after: number): Promise<NextChanges> {
  const { changeBuffer, database } = options;
  const buffered = changeBuffer.takeAfter(organizationId, after);
  const lastBuffered = buffered.at(-1);
  if (lastBuffered) {
    const evaluations = changeBuffer.evaluationsAfter(organizationId, lastBuffered.sequence);
    const later = evaluations.map(({ sequence, change }) => ({ sequence, moves: change.evaluation?.moves ?? [] }));
    return { changes: buffered, later };
  }
  const changes = await readNextChanges(database, organizationId, after, CHANGES_PER_STEP);
  const last = changes.at(-1);
  if (!last) return { changes, later: [] };
  // This process has just started, has failed, or does not keep up: moves may be missing in the question engine.
  const recorded = await finishAndReadMoves(options, organizationId, after);
  return { changes, later: recorded.filter(({ sequence }) => sequence > last.sequence) };
}

/** The subjects whose segments may have changed. Changes that evaluation itself has made touch nobody. */
function touchedBy(changes: readonly LoggedChange[]): TouchedSubjects {
  const user = new Set<string>();
  const account = new Set<string>();
  const activeAccount = new Set<string>();
  for (const { change } of changes) {
    for (const { id } of change.users) user.add(id);
    for (const { id } of change.accounts) account.add(id);
    for (const { user_id, account_id } of change.events) {
      if (user_id !== "") user.add(user_id);
      if (account_id !== null) activeAccount.add(account_id);
    }
  }
  const goneUsers = goneIds("user", changes);
  const goneAccounts = goneIds("account", changes);
  for (const id of goneUsers) user.add(id);
  for (const id of goneAccounts) account.add(id);
  return { user, account, activeAccount, gone: new Set([...goneUsers, ...goneAccounts]) };
}

function advance(cursor: ProjectCursor, changes: readonly LoggedChange[]): ProjectCursor {
  const positions = { ...cursor.positions };
  // A change that evaluation has made carries the position of its cause, and later changes may have gone beyond that.
  for (const { lane, position } of changes) positions[lane] = Math.max(positions[lane] ?? 0, position);
  return { sequence: changes.at(-1)?.sequence ?? cursor.sequence, positions };
}
