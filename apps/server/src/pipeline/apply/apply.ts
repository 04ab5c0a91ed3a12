import { setImmediate as nextTurn } from "node:timers/promises";
import { type ChangeSet, NO_CHANGE } from "../../domain/changes/change-set.js";
import type { Entry } from "../../domain/entries/entry.js";
import { chooseLane, LANES, type Lane, type LanePositions } from "../../domain/entries/lanes.js";
import { summariseBatch } from "../../domain/entries/summarise-batch.js";
import type { Profile } from "../../domain/profiles/profile.js";
import { appendChange, lockChangeHead } from "../../storage/postgres/changes/changes.js";
import { type Database, isDataError, type Transaction } from "../../storage/postgres/database.js";
import { type ApplyCursor, readApplyCursors, saveApplyCursor } from "../../storage/postgres/ingest/apply-cursors.js";
import { readHeads } from "../../storage/postgres/ingest/ingest-log.js";
import { saveRejections } from "../../storage/postgres/ingest/rejected-entries.js";
import { pack } from "../../storage/postgres/packing.js";
import type { BatchBuffer } from "../accept/batch-buffer.js";
import type { AppliedChange } from "../project/change-buffer.js";
import type { ApplyRules } from "./apply-rules.js";
import { applyWithPauses } from "./apply-with-pauses.js";
import { attachEntities } from "./attach-entities.js";
import { loadWorkingState } from "./load-working-state.js";
import { saveWorkingState } from "./save-working-state.js";
import { takeEntries } from "./take-entries.js";

export interface ApplyOptions {
  database: Database;
  rules: ApplyRules;
  /** While live work waits, one micro-batch in this many is bulk work. */
  bulkEvery: number;
  /** Where the next entries may be, besides the log. */
  batchBuffer: BatchBuffer;
}

export interface Applied {
  entries: number;
  rejected: number;
  change: AppliedChange;
}

/**
 * Applies the next micro-batch of an organization in one transaction: it reads the stored state, computes the new one,
 * writes it, appends the change to the change log and advances the cursor. Undefined when nothing waits.
 *
 * With `maxEntries` 1, an entry that PostgreSQL refuses because of its data is listed as rejected. Of several entries
 * it is not known which one is to blame, so the error is thrown.
 */
export async function applyNext(
  options: ApplyOptions,
  organizationId: string,
  maxEntries: number,
): Promise<Applied | undefined> {
  return inMicroBatch(options, organizationId, maxEntries, async (tx, entries, sequence) => {
    if (maxEntries > 1) return applyTaken(tx, options.rules, organizationId, entries, sequence);
    await tx.query("savepoint single_entry");
    try {
      return await applyTaken(tx, options.rules, organizationId, entries, sequence);
    } catch (error) {
      if (!isDataError(error)) throw error;
      await tx.query("rollback to savepoint single_entry");
      return rejectAll(tx, organizationId, entries, error as Error);
    }
  });
}

interface MicroBatchResult {
  change: ChangeSet;
  /** The change as the log keeps it. */
  payload: Buffer;
  profiles: Profile[];
  rejected: number;
}

async function applyTaken(
  tx: Transaction,
  rules: ApplyRules,
  organizationId: string,
  entries: Entry[],
  sequence: number,
): Promise<MicroBatchResult> {
  const state = await loadWorkingState(tx, organizationId, entries, rules);
  const outcome = await applyWithPauses(entries, state);
  await attachEntities(tx, organizationId, outcome);
  await nextTurn();
  const change = summariseBatch(outcome, state, sequence, Date.now());
  if (entries.every(({ quiet }) => quiet)) change.quiet = true;
  const { rejections } = outcome;
  await nextTurn();
  const saving = saveWorkingState(tx, organizationId, { state, change, rejections }, sequence);
  // Most changes are complete by now, and are packed while PostgreSQL writes.
  const early = isComplete(change) ? pack(change) : undefined;
  await saving;
  const payload = early ?? pack(change);
  const profiles = [...state.accounts.changed(), ...state.users.changed()];
  return { change, payload, profiles, rejected: rejections.length };
}

/**
 * Whether saving adds nothing to the change. Saving finds the former ids of erased subjects and the users of merged
 * accounts.
 */
function isComplete({ merges, removed }: ChangeSet): boolean {
  return removed.length === 0 && merges.every(({ kind }) => kind === "user");
}

async function rejectAll(
  tx: Transaction,
  organizationId: string,
  entries: Entry[],
  error: Error,
): Promise<MicroBatchResult> {
  const message = `It could not be stored: ${error.message}`;
  const rejections = entries.map((entry) => ({ entry, code: "internal" as const, message }));
  await saveRejections(tx, organizationId, rejections);
  return { change: NO_CHANGE, payload: pack(NO_CHANGE), profiles: [], rejected: rejections.length };
}

type MicroBatchWork = (tx: Transaction, entries: Entry[], sequence: number) => Promise<MicroBatchResult>;

/** Takes the next entries, lets `work` apply them, and saves the change and the cursor: all in one transaction. */
async function inMicroBatch(
  { database, bulkEvery, batchBuffer }: ApplyOptions,
  organizationId: string,
  maxEntries: number,
  work: MicroBatchWork,
): Promise<Applied | undefined> {
  return database.transaction(async (tx) => {
    // The statements run in this order, so the cursors and heads are read after the lock is taken.
    const [before, cursors, heads] = await Promise.all([
      lockChangeHead(tx, organizationId),
      readApplyCursors(tx, organizationId, LANES),
      readHeads(tx, organizationId),
    ]);
    const sequence = before + 1;
    const lane = chooseLane(lanesWithWork(cursors, heads), sequence, bulkEvery);
    if (lane === undefined) return undefined;
    const { entries, cursor } = await takeEntries(tx, batchBuffer, organizationId, cursors, { lane, maxEntries });
    const { change, payload, profiles, rejected } = await work(tx, entries, sequence);
    const { position } = cursor;
    await Promise.all([
      appendChange(tx, organizationId, { sequence, lane, position, payload }),
      saveApplyCursor(tx, organizationId, cursor, entries.length),
    ]);
    return { entries: entries.length, rejected, change: { sequence, lane, position, change, profiles } };
  });
}

function lanesWithWork(cursors: readonly ApplyCursor[], heads: LanePositions): Set<Lane> {
  return new Set(cursors.filter(({ lane, position }) => (heads[lane] ?? 0) > position).map(({ lane }) => lane));
}
