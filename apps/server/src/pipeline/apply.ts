import type { AccountClaims, SubjectType, UserClaims } from "@muster/protocol";
import { applyEntries, type Workbench } from "../domain/apply-entries.js";
import { type ChangeSet, NO_CHANGE } from "../domain/change-set.js";
import type { Entry } from "../domain/entry.js";
import type { ContextReaders } from "../domain/event-context.js";
import { type ClaimedIdentifier, claimedIdentifiers } from "../domain/identifiers.js";
import { chooseLane } from "../domain/lanes.js";
import type { Profile } from "../domain/profile.js";
import { Roster, type RosterLimits } from "../domain/roster.js";
import { summariseBatch } from "../domain/summarise-batch.js";
import { type ApplyCursor, readApplyCursors, saveApplyCursor } from "../storage/postgres/apply-cursors.js";
import { appendChange, lockChangeHead } from "../storage/postgres/changes.js";
import { type Database, isDataError, type Transaction } from "../storage/postgres/database.js";
import { loadAttributes, saveAttributes } from "../storage/postgres/definitions.js";
import { loadEventDefinitions, saveEventDefinitions } from "../storage/postgres/event-definitions.js";
import { loadKnownEvents, saveEventKeys } from "../storage/postgres/event-keys.js";
import { readBatches, readHeads } from "../storage/postgres/ingest-log.js";
import { pack } from "../storage/postgres/packing.js";
import {
  eraseProfiles,
  loadProfiles,
  relinkUsers,
  saveIdentifiers,
  saveMerges,
  saveProfiles,
} from "../storage/postgres/profiles.js";
import { saveRejections } from "../storage/postgres/rejected-entries.js";
import type { Arrivals } from "./arrivals.js";
import { attachEntities } from "./attach-entities.js";
import type { AppliedBatch } from "./handover.js";

export interface ApplyOptions extends RosterLimits {
  database: Database;
  readers: ContextReaders;
  maxAttributes: number;
  maxValueBytes: number;
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
  await saveRejections(tx, organizationId, outcome.rejections);
  await saveWorkbench(tx, organizationId, bench, change, sequence);
  const profiles = [...bench.accounts.changed(), ...bench.users.changed()];
  return { change, profiles, rejected: outcome.rejections.length };
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
  return { change: NO_CHANGE, profiles: [], rejected: rejections.length };
}

type MicroBatchWork = (tx: Transaction, entries: Entry[], sequence: number) => Promise<MicroBatchResult>;

async function inMicroBatch(
  options: ApplyNextOptions,
  organizationId: string,
  maxEntries: number,
  work: MicroBatchWork,
): Promise<Applied | undefined> {
  return options.database.transaction(async (tx) => {
    const sequence = (await lockChangeHead(tx, organizationId)) + 1;
    const next = await takeEntries(tx, options, organizationId, { turn: sequence, maxEntries });
    if (!next) return undefined;
    const { entries, cursor } = next;
    const { change, profiles, rejected } = await work(tx, entries, sequence);
    const { lane, position } = cursor;
    await appendChange(tx, organizationId, { sequence, lane, position, payload: await pack(change) });
    await saveApplyCursor(tx, organizationId, cursor, entries.length);
    return { entries: entries.length, rejected, batch: { sequence, lane, position, change, profiles } };
  });
}

/** The next entries of the lane whose turn it is, and the cursor after them. */
async function takeEntries(
  tx: Transaction,
  { arrivals, bulkEvery }: ApplyNextOptions,
  organizationId: string,
  { turn, maxEntries }: { turn: number; maxEntries: number },
): Promise<{ entries: Entry[]; cursor: ApplyCursor } | undefined> {
  const cursors = await readApplyCursors(tx, organizationId);
  const heads = await readHeads(tx, organizationId);
  const waiting = cursors.filter(({ lane, position }) => (heads[lane] ?? 0) > position);
  const lane = chooseLane(new Set(waiting.map((cursor) => cursor.lane)), turn, bulkEvery);
  const cursor = waiting.find((candidate) => candidate.lane === lane);
  if (!cursor) return undefined;

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

/** Everything that the entries are about, as it is stored. */
export async function loadWorkbench(
  tx: Transaction,
  organizationId: string,
  entries: readonly Entry[],
  options: ApplyOptions,
): Promise<Workbench> {
  const now = Date.now();
  const users = new Roster("user", options, now);
  const accounts = new Roster("account", options, now);
  const wantedUsers = wantedOf("user", entries);
  const wantedAccounts = wantedOf("account", entries);

  for (const { profile, formerIds } of await loadProfiles(tx, "user", organizationId, wantedUsers)) {
    users.load(profile, formerIds);
    // An account's entry may name it by its user alone.
    if (profile.accountId !== undefined) wantedAccounts.ids.add(profile.accountId);
  }
  for (const { profile, formerIds } of await loadProfiles(tx, "account", organizationId, wantedAccounts)) {
    accounts.load(profile, formerIds);
  }
  const givenEventIds = entries.flatMap(({ overwrites, eventId }) => (overwrites && eventId ? [eventId] : []));
  return {
    users,
    accounts,
    userAttributes: await loadAttributes(tx, organizationId, "user", options.maxAttributes),
    accountAttributes: await loadAttributes(tx, organizationId, "account", options.maxAttributes),
    knownEvents: await loadKnownEvents(tx, organizationId, givenEventIds),
    maxValueBytes: options.maxValueBytes,
    ...options.readers,
  };
}

/** Every id and identifier of one kind that the entries name. */
function wantedOf(kind: SubjectType, entries: readonly Entry[]) {
  const ids = new Set<string>();
  const identifiers = new Map<string, ClaimedIdentifier>();
  const want = (claims: UserClaims | AccountClaims) => {
    if (claims.id !== undefined) ids.add(claims.id);
    for (const identifier of claimedIdentifiers(kind, claims)) {
      identifiers.set(`${identifier.kind} ${identifier.value}`, identifier);
    }
  };
  for (const entry of entries) {
    const claims = entry[kind];
    if (claims) want(claims);
    // Aliases name identifiers in their body, and so may attributes.
    if (entry.subject === kind && entry.type !== "track") want(identifiersIn(entry.body));
  }
  return { ids, identifiers: [...identifiers.values()] };
}

const IDENTIFYING = ["external_id", "email", "domain", "anonymous_id"] as const;

function identifiersIn(body: Record<string, unknown>): UserClaims {
  const found: UserClaims = {};
  for (const name of IDENTIFYING) {
    const value = body[name] ?? body[`traits_${name}`];
    if (typeof value === "string") found[name] = value;
  }
  return found;
}

async function saveWorkbench(
  tx: Transaction,
  organizationId: string,
  bench: Workbench,
  change: ChangeSet,
  sequence: number,
): Promise<void> {
  for (const roster of [bench.accounts, bench.users]) {
    await saveProfiles(tx, roster.kind, organizationId, roster.changed(), sequence);
    await saveIdentifiers(tx, roster.kind, organizationId, roster.identifierChanges());
    // A survivor may have been merged on within the same micro-batch, and need never have been stored itself.
    const merges = roster
      .merges()
      .filter(({ loser }) => !roster.isNew(loser))
      .map((merge) => ({ ...merge, survivor: roster.current(merge.survivor) }));
    await saveMerges(tx, roster.kind, organizationId, merges);
    const removed = change.removed.filter(({ kind }) => kind === roster.kind);
    const ids = new Set(removed.map(({ id }) => id));
    const gone = roster.removed().filter(({ id }) => ids.has(id));
    const formerIds = await eraseProfiles(tx, roster.kind, organizationId, gone);
    for (const subject of removed) subject.formerIds = formerIds.get(subject.id) ?? [];
  }
  await relink(tx, organizationId, bench, change, sequence);
  await saveAttributes(tx, organizationId, "user", bench.userAttributes.added());
  await saveAttributes(tx, organizationId, "account", bench.accountAttributes.added());
  await saveEvents(tx, organizationId, bench, change);
}

/** Users of accounts that were merged or erased follow; they count as changed, since their report names the account. */
async function relink(
  tx: Transaction,
  organizationId: string,
  { users, accounts }: Workbench,
  change: ChangeSet,
  sequence: number,
): Promise<void> {
  const merged = change.merges.filter(({ kind }) => kind === "account");
  const removed = change.removed.filter(({ kind }) => kind === "account");
  const from = [...merged.map(({ loser }) => loser), ...removed.map(({ id }) => id)];
  const to = [...merged.map(({ survivor }) => (accounts.find(survivor) ? survivor : null)), ...removed.map(() => null)];
  const known = new Map(change.users.map((user) => [user.id, user]));
  for (const relinked of await relinkUsers(tx, organizationId, from, to, sequence)) {
    const changed = known.get(relinked.id) ?? { id: relinked.id, isNew: false, changes: {} };
    if (!known.has(relinked.id)) change.users.push(changed);
    // Linked in this very batch, it comes from wherever it was before.
    const [from] = changed.changes.account_id ?? [relinked.from];
    changed.changes.account_id = [from, relinked.to];
    const user = users.find(relinked.id);
    if (user) user.accountId = relinked.to ?? undefined;
  }
}

async function saveEvents(tx: Transaction, organizationId: string, bench: Workbench, change: ChangeSet): Promise<void> {
  const keyed = change.events.flatMap((stored) => {
    const known = bench.knownEvents.get(stored.event_id);
    return known?.id === stored.id ? [{ stored, known }] : [];
  });
  await saveEventKeys(tx, organizationId, keyed);
  const names = [...new Set(change.events.map(({ event }) => event))];
  const definitions = await loadEventDefinitions(tx, organizationId, names);
  for (const { event, properties } of change.events) definitions.observe(event, properties);
  await saveEventDefinitions(tx, organizationId, definitions.changed());
}
