import { setImmediate as nextTurn } from "node:timers/promises";
import type { EntryFault, Rejection } from "../../domain/apply/entry-application.js";
import { summariseBatch } from "../../domain/apply/summarise-batch.js";
import { type ChangeSet, NO_CHANGE } from "../../domain/changes/change-set.js";
import type { Entry } from "../../domain/entries/entry.js";
import { generalReason } from "../../domain/entries/general-reason.js";
import { chooseLane, LANE, LANES, type Lane, type LanePositions } from "../../domain/entries/lanes.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { Metrics } from "../../runtime/measures/metrics.js";
import type { IngestionLog } from "../../storage/ingest-log/ingestion-log.js";
import { compress, decompressedSize } from "../../storage/logs/compression.js";
import { appendChange, lockChangeHead } from "../../storage/postgres/changes/changes.js";
import { saveLeftovers } from "../../storage/postgres/changes/erased-identifiers.js";
import { type Database, isDataError, type Transaction } from "../../storage/postgres/database.js";
import { type ApplyBasis, readApplyBasis } from "../../storage/postgres/ingest/apply-basis.js";
import { type ApplyCursor, readApplyCursors, saveApplyCursor } from "../../storage/postgres/ingest/apply-cursors.js";
import { saveRejections } from "../../storage/postgres/ingest/rejected-entries.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import type { BatchBuffer } from "../buffers/batch-buffer.js";
import type { AppliedChange } from "../buffers/change-buffer.js";
import { StandsStill } from "../stands-still.js";
import type { ApplyRules } from "./apply-rules.js";
import { applyToLoaded } from "./apply-to-loaded.js";
import { attachEntities } from "./attach-entities.js";
import { computeOwn } from "./compute-own.js";
import { countKeptEvents } from "./count-kept-events.js";
import { keepEndUserEvents } from "./keep-end-user-events.js";
import { loadWorkingState } from "./load-working-state.js";
import { MAX_RELINKED_USERS, type RelinkPage, relinkPage } from "./relink-page.js";
import { saveWorkingState } from "./save-working-state.js";
import { type TakenEntries, takeEntries } from "./take-entries.js";

export interface ApplyOptions {
  database: Database;
  log: Pick<IngestionLog, "knownHeads" | "read">;
  rules: ApplyRules;
  metrics: Pick<Metrics, "formulaProblems">;
  /** While live work waits, one micro-batch in this many is bulk work. */
  bulkEvery: number;
  /** Where the next entries may be, besides the log. */
  batchBuffer: BatchBuffer;
  /** The lease of this process on the organization. */
  lease: Pick<WorkLease, "confirm">;
  /** Most users that follow merged and erased accounts in one change. */
  maxRelinkedUsers?: number;
}

/** Which of the waiting work of an organization is next. */
export interface Turn {
  /** How many micro-batches of entries came before. It decides between the lanes. */
  lanes: number;
  /** The step before was a page of users who follow merged and erased accounts, so entries come first. */
  isAfterPage: boolean;
}

export const FIRST_TURN: Turn = { lanes: 0, isAfterPage: true };

export interface Applied {
  entries: number;
  /** The log had no further entry when the step began, and no users are to follow accounts. An append wakes the stage. */
  isLast: boolean;
  /** How many of the entries were received at each time, in milliseconds. */
  received: ReadonlyMap<number, number>;
  rejections: readonly Rejection[];
  /** Errors in our code that stopped entries, which are listed as rejected. */
  faults: readonly EntryFault[];
  change: AppliedChange;
  /** How long the change and its profiles are as JSON. */
  jsonLength: number;
}

/**
 * Applies the next micro-batch of an organization in one transaction: it reads the stored state, computes the new one,
 * writes it, appends the change to the change log and advances the cursor. When it is the turn of users who are to follow
 * merged and erased accounts, or nothing else waits, it applies a page of them instead. Undefined when nothing waits.
 *
 * With `maxEntries` 1, an entry that PostgreSQL refuses because of its data is listed as rejected. With several
 * entries it is unknown which one is the cause, so the error is thrown.
 */
export async function applyNext(
  options: ApplyOptions,
  organizationId: string,
  maxEntries: number,
  turn = FIRST_TURN,
): Promise<Applied | undefined> {
  return inMicroBatch(options, organizationId, { maxEntries, turn }, async (tx, taken, begin) => {
    if (maxEntries > 1) return applyTaken(tx, options, organizationId, taken, begin);
    await tx.query("savepoint single_entry");
    try {
      return await applyTaken(tx, options, organizationId, taken, begin);
    } catch (error) {
      if (!isDataError(error)) throw error;
      await tx.query("rollback to savepoint single_entry");
      return rejectAll(tx, organizationId, taken.entries, error as Error);
    }
  });
}

interface MicroBatchResult {
  change: ChangeSet;
  /** The change as the log keeps it. */
  payload: Buffer;
  profiles: Profile[];
  /** How long the profiles are as JSON. */
  profilesLength: number;
  rejections: readonly Rejection[];
  faults: readonly EntryFault[];
  /** Users of accounts that it merged or erased are still to follow. */
  leavesRelinks: boolean;
}

async function applyTaken(
  tx: Transaction,
  {
    rules,
    metrics,
    maxRelinkedUsers = MAX_RELINKED_USERS,
  }: Pick<ApplyOptions, "rules" | "metrics" | "maxRelinkedUsers">,
  organizationId: string,
  { entries, batchOf, cursor }: TakenEntries,
  { sequence, basis }: MicroBatchBegin,
): Promise<MicroBatchResult> {
  const receivedAt = (entry: Entry) => batchOf.get(entry)?.receivedAt.getTime() ?? Date.now();
  const load = () => loadWorkingState(tx, organizationId, entries, { rules, basis, receivedAt, sequence });
  const { state, outcome, faults } = await applyToLoaded(load, entries);
  const leftovers = new Set(outcome.dropped.flatMap((entry) => batchOf.get(entry)?.position ?? []));
  await saveLeftovers(tx, organizationId, cursor.lane, leftovers);
  await keepEndUserEvents(tx, organizationId, outcome, state);
  await countKeptEvents(tx, organizationId, outcome, state.users);
  await attachEntities(tx, organizationId, outcome, rules.maxEntities);
  await computeOwn(tx, organizationId, state, { revision: basis.revisions.computed, metrics });
  await nextTurn();
  const isQuiet = entries.every(({ quiet }) => quiet);
  const { attributesChanged } = rules;
  const change = summariseBatch(outcome, state, { sequence, now: Date.now(), isQuiet, attributesChanged });
  const { rejections } = outcome;
  await nextTurn();
  const applied = { state, change, outcome, rules, basis };
  const saving = saveWorkingState(tx, organizationId, applied, { sequence, maxRelinkedUsers });
  // Its error is thrown where the promise is awaited below.
  saving.catch(() => undefined);
  await nextTurn();
  // Most changes are complete by now, and are compressed while PostgreSQL writes.
  const early = isComplete(change) ? compress(change) : undefined;
  const { profilesLength, leavesRelinks } = await saving;
  const payload = early ?? compress(change);
  const profiles = [...state.accounts.changed(), ...state.users.changed()];
  return { change, payload, profiles, profilesLength, rejections, faults, leavesRelinks };
}

/**
 * Whether saving adds nothing to the change. Saving finds the former ids of erased subjects and the users of merged
 * accounts.
 */
function isComplete({ merges, unmerges, removed }: ChangeSet): boolean {
  return removed.length === 0 && !unmerges && merges.every(({ kind }) => kind === "user");
}

async function rejectAll(
  tx: Transaction,
  organizationId: string,
  entries: Entry[],
  error: Error,
): Promise<MicroBatchResult> {
  const message = `It could not be stored: ${error.message}`;
  const rejections = entries.map((entry) => ({ entry, code: "internal" as const, message }));
  const reason = generalReason(message);
  await saveRejections(
    tx,
    organizationId,
    rejections.map((rejection) => ({ ...rejection, reason })),
  );
  const nothing = { change: NO_CHANGE, payload: compress(NO_CHANGE), profiles: [], profilesLength: 0 };
  return { ...nothing, rejections, faults: [], leavesRelinks: false };
}

interface MicroBatchBegin {
  /** The sequence of the change that the micro-batch makes. */
  sequence: number;
  basis: ApplyBasis;
}

type MicroBatchWork = (tx: Transaction, taken: TakenEntries, begin: MicroBatchBegin) => Promise<MicroBatchResult>;

/** Takes the next entries, lets `work` apply them, and saves the change and the cursor: all in one transaction. */
async function inMicroBatch(
  { database, log, bulkEvery, batchBuffer, lease, maxRelinkedUsers = MAX_RELINKED_USERS }: ApplyOptions,
  organizationId: string,
  { maxEntries, turn }: { maxEntries: number; turn: Turn },
  work: MicroBatchWork,
): Promise<Applied | undefined> {
  return database.transaction(async (tx) => {
    // The statements run in this order, so everything else is read after the lock is taken.
    const [before, cursors, basis, heads] = await Promise.all([
      lockChangeHead(tx, organizationId),
      readApplyCursors(tx, organizationId, LANES),
      readApplyBasis(tx, organizationId),
      log.knownHeads(tx, organizationId),
      lease.confirm(tx),
    ]);
    // New rows would be left behind when the rest of the organization is removed.
    if (!basis || basis.isDeleted) return undefined;
    const sequence = before + 1;
    const lane = chooseLane(lanesWithWork(cursors, heads), turn.lanes, bulkEvery);
    if (basis.hasRelinks && (!turn.isAfterPage || lane === undefined)) {
      const page = await relinkPage(tx, organizationId, { sequence, maxUsers: maxRelinkedUsers });
      return applyRelinks(tx, organizationId, {
        ...page,
        sequence,
        cursors,
        isLast: page.isLast && lane === undefined,
      });
    }
    if (lane === undefined) return undefined;
    const begin = cursors.find((candidate) => candidate.lane === lane)!;
    const taken = await takeEntries(tx, { log, batchBuffer }, organizationId, cursors, { lane, maxEntries });
    const { entries, cursor } = taken;
    if (cursor.position === begin.position && cursor.offset === begin.offset) {
      throw new StandsStill(`Lane ${lane} of the ingestion log has entries, and none of them was taken.`);
    }
    const worked = await work(tx, taken, { sequence, basis });
    const { change, payload, profiles, profilesLength, rejections, faults } = worked;
    const { position } = cursor;
    await Promise.all([
      appendChange(tx, organizationId, { sequence, lane, position, payload }),
      saveApplyCursor(tx, organizationId, begin, cursor, entries.length),
    ]);
    const jsonLength = decompressedSize(payload) + profilesLength;
    const applied = { sequence, lane, position, change, profiles };
    const received = receivedTimes(taken);
    const after = cursors.map((other) => (other.lane === lane ? cursor : other));
    const isLast = lanesWithWork(after, heads).size === 0 && !basis.hasRelinks && !worked.leavesRelinks;
    return { entries: entries.length, isLast, received, rejections, faults, change: applied, jsonLength };
  });
}

/**
 * Appends a page of users who have followed their accounts to the change log. It has the position that bulk work has
 * reached, because a page must not claim that later entries are applied.
 */
async function applyRelinks(
  tx: Transaction,
  organizationId: string,
  { change, isLast, sequence, cursors }: RelinkPage & { sequence: number; cursors: readonly ApplyCursor[] },
): Promise<Applied> {
  const lane = LANE.bulk;
  const position = cursors.find((cursor) => cursor.lane === lane)?.position ?? 0;
  const payload = compress(change);
  await appendChange(tx, organizationId, { sequence, lane, position, payload });
  const nothing = { entries: 0, received: new Map<number, number>(), rejections: [], faults: [] };
  const applied = { sequence, lane, position, change, profiles: [] };
  return { ...nothing, isLast, change: applied, jsonLength: decompressedSize(payload) };
}

function receivedTimes({ entries, batchOf }: TakenEntries): Map<number, number> {
  const received = new Map<number, number>();
  for (const entry of entries) {
    const at = batchOf.get(entry)?.receivedAt.getTime();
    if (at !== undefined) received.set(at, (received.get(at) ?? 0) + 1);
  }
  return received;
}

function lanesWithWork(cursors: readonly ApplyCursor[], heads: LanePositions): Set<Lane> {
  return new Set(cursors.filter(({ lane, position }) => (heads[lane] ?? 0) > position).map(({ lane }) => lane));
}
