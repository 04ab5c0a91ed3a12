import { type ChangeSet, NO_CHANGE } from "../../domain/changes/change-set.js";
import { applyEntries } from "../../domain/entries/apply-entries.js";
import type { Entry } from "../../domain/entries/entry.js";
import { chooseLane, LANES, type Lane, type LanePositions } from "../../domain/entries/lanes.js";
import { summariseBatch } from "../../domain/entries/summarise-batch.js";
import type { Profile } from "../../domain/identity/profile.js";
import { appendChange, lockChangeHead } from "../../storage/postgres/changes/changes.js";
import { type Database, isDataError, type Transaction } from "../../storage/postgres/database.js";
import { type ApplyCursor, readApplyCursors, saveApplyCursor } from "../../storage/postgres/ingest/apply-cursors.js";
import { readBatches, readHeads } from "../../storage/postgres/ingest/ingest-log.js";
import { pack } from "../../storage/postgres/ingest/packing.js";
import { saveRejections } from "../../storage/postgres/ingest/rejected-entries.js";
import type { Arrivals } from "../accept/arrivals.js";
import type { AppliedBatch } from "../project/handover.js";
import { attachEntities } from "./attach-entities.js";
import { loadWorkbench, type WorkbenchOptions } from "./load-workbench.js";
import { saveWorkbench } from "./save-workbench.js";

export interface ApplyOptions extends WorkbenchOptions {
  database: Database;
  /** Bulk work's share while live work waits: one micro-batch in this many. */
  bulkEvery: number;
}

export interface ApplyNextOptions extends ApplyOptions {
  /** Where the next entries may be, besides the log. */
  arrivals: Arrivals;
}

export interface Applied {
  entries: number;
  rejected: number;
  batch: AppliedBatch;
}

/**
 * Applies the next micro-batch of an organization, all or nothing: read what it is about, compute the new state, write
 * it, append what changed to the change log, advance the cursor. Undefined when nothing waits. A single entry whose data
 * breaks every attempt is put aside with its error; of several it is not known which is to blame, and the error is the
 * caller's.
 */
export async function applyNext(
  options: ApplyNextOptions,
  organizationId: string,
  maxEntries: number,
): Promise<Applied | undefined> {
  return inMicroBatch(options, organizationId, maxEntries, async (tx, entries, sequence) => {
    if (maxEntries > 1) return applyTaken(tx, options, organizationId, entries, sequence);
    await tx.query("savepoint single_entry");
    try {
      return await applyTaken(tx, options, organizationId, entries, sequence);
    } catch (error) {
      if (!isDataError(error)) throw error;
      await tx.query("rollback to savepoint single_entry");
      return putAside(tx, organizationId, entries, error as Error);
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
  options: ApplyOptions,
  organizationId: string,
  entries: Entry[],
  sequence: number,
): Promise<MicroBatchResult> {
  const bench = await loadWorkbench(tx, organizationId, entries, options);
  const outcome = applyEntries(entries, bench);
  await attachEntities(tx, organizationId, outcome);
  const change = summariseBatch(outcome, bench, sequence, Date.now());
  if (entries.every(({ quiet }) => quiet)) change.quiet = true;
  const { rejections } = outcome;
  const saving = saveWorkbench(tx, organizationId, { bench, change, rejections }, sequence);
  // Most changes are complete by now, and are packed while PostgreSQL writes.
  const early = isComplete(change) ? pack(change) : undefined;
  await saving;
  const payload = early ?? pack(change);
  const profiles = [...bench.accounts.changed(), ...bench.users.changed()];
  return { change, payload, profiles, rejected: rejections.length };
}

/** Whether saving adds nothing to the change: who was erased, and who followed a merged account, is only known then. */
function isComplete({ merges, removed }: ChangeSet): boolean {
  return removed.length === 0 && merges.every(({ kind }) => kind === "user");
}

async function putAside(
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

async function inMicroBatch(
  options: ApplyNextOptions,
  organizationId: string,
  maxEntries: number,
  work: MicroBatchWork,
): Promise<Applied | undefined> {
  return options.database.transaction(async (tx) => {
    // What is read behind the lock is read once we have it.
    const [before, cursors, heads] = await Promise.all([
      lockChangeHead(tx, organizationId),
      readApplyCursors(tx, organizationId, LANES),
      readHeads(tx, organizationId),
    ]);
    const sequence = before + 1;
    const lane = chooseLane(lanesWithWork(cursors, heads), sequence, options.bulkEvery);
    if (lane === undefined) return undefined;
    const { entries, cursor } = await takeEntries(tx, options, organizationId, cursors, { lane, maxEntries });
    const { change, payload, profiles, rejected } = await work(tx, entries, sequence);
    const { position } = cursor;
    await Promise.all([
      appendChange(tx, organizationId, { sequence, lane, position, payload }),
      saveApplyCursor(tx, organizationId, cursor, entries.length),
    ]);
    return { entries: entries.length, rejected, batch: { sequence, lane, position, change, profiles } };
  });
}

function lanesWithWork(cursors: readonly ApplyCursor[], heads: LanePositions): Set<Lane> {
  return new Set(cursors.filter(({ lane, position }) => (heads[lane] ?? 0) > position).map(({ lane }) => lane));
}

/** The next entries of a lane, and the cursor after them. */
async function takeEntries(
  tx: Transaction,
  { arrivals }: ApplyNextOptions,
  organizationId: string,
  cursors: readonly ApplyCursor[],
  { lane, maxEntries }: { lane: Lane; maxEntries: number },
): Promise<{ entries: Entry[]; cursor: ApplyCursor }> {
  const cursor = cursors.find((candidate) => candidate.lane === lane)!;
  const applied = Object.fromEntries(cursors.map((known) => [known.lane, known.position]));
  arrivals.forget(organizationId, applied);
  const wanted = maxEntries + cursor.offset;
  const arrived = arrivals.after(organizationId, cursor.lane, cursor.position, wanted);
  const batches = arrived.length > 0 ? arrived : await readBatches(tx, organizationId, cursor.lane, cursor, wanted);
  const entries: Entry[] = [];
  const after: ApplyCursor = { ...cursor };
  for (const batch of batches) {
    // Connectors are told of a whole micro-batch or not at all; the entries of one batch are alike in that.
    if (entries.length > 0 && batch.entries[0]?.quiet !== entries[0]?.quiet) break;
    const rest = batch.entries.slice(after.offset);
    const taken = rest.slice(0, maxEntries - entries.length);
    for (const entry of taken) entries.push(entry);
    after.receivedAt = batch.receivedAt;
    if (taken.length < rest.length) {
      after.offset += taken.length;
      break;
    }
    after.position = batch.position;
    after.offset = 0;
  }
  return { entries, cursor: after };
}
