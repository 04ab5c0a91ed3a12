import type { SubjectType } from "@muster/protocol";
import type { EntityStatesOptions } from "../audience/entity-states.js";
import type { ClickHouse } from "../engines/clickhouse.js";
import {
  documentOf,
  eraseEvents,
  moveEvents,
  removeDocuments,
  removeEvents,
  type VersionedProfile,
  writeDocuments,
  writeEvents,
} from "../storage/clickhouse/projection.js";
import {
  type LoggedChange,
  type ProjectCursor,
  readChanges,
  readProjectCursor,
  saveProjectCursor,
} from "../storage/postgres/changes.js";
import type { Database } from "../storage/postgres/database.js";
import { loadAttributes } from "../storage/postgres/definitions.js";
import { loadProfiles } from "../storage/postgres/profiles.js";
import { evaluateTouched, type Reports, type Touched } from "./evaluate.js";
import type { AppliedBatch } from "./handover.js";
import { finishMoves, type MoveOptions, writeEvaluation } from "./make-moves.js";
import { type NotifyOptions, notifyChanges } from "./notify.js";

export interface ProjectOptions extends MoveOptions, NotifyOptions {
  maxAttributes: number;
}

/** A change to project, with what the shortcut of the same process may have brought along. */
type PendingChange = LoggedChange & Partial<AppliedBatch>;

// Several micro-batches that wait are written together: ClickHouse likes few large inserts.
const CHANGES_PER_STEP = 16;

/**
 * Writes the next changes of an organization to ClickHouse and advances the cursor. Every write carries the sequence of
 * its change as version, so doing it again after a crash changes nothing. False when nothing waits.
 */
export async function projectNext(options: ProjectOptions, organizationId: string): Promise<boolean> {
  const { database, handover } = options;
  const cursor = await readProjectCursor(database, organizationId);
  const handed = handover.takeAfter(organizationId, cursor.sequence);
  const changes = handed.length > 0 ? handed : await readPending(options, organizationId, cursor.sequence);
  if (changes.length === 0) return false;
  const reports = await projectChanges(options, organizationId, changes);
  const last = changes.at(-1)!;
  const evaluated = await evaluateTouched(options, organizationId, touchedBy(changes), last, reports);
  await notifyChanges(options, organizationId, changes, evaluated);
  await saveProjectCursor(database, organizationId, advance(cursor, changes));
  return true;
}

/** The next changes from the log: this process has just started, has failed, or is behind. */
async function readPending(options: ProjectOptions, organizationId: string, after: number): Promise<PendingChange[]> {
  const logged = await readChanges(options.database, organizationId, after, CHANGES_PER_STEP);
  if (logged.length === 0) return [];
  await finishMoves(options, organizationId, after);
  const written = options.handover.writtenOf(organizationId);
  return logged.map((change) => (written.has(change.sequence) ? { ...change, isWritten: true } : change));
}

/**
 * Projects consecutive changes: documents as they are now, events as they were recorded, then merges and removals. Returns
 * the reports it has written.
 */
export async function projectChanges(
  { database, clickhouse, maxAttributes }: EntityStatesOptions,
  organizationId: string,
  changes: readonly PendingChange[],
): Promise<Reports> {
  const version = changes.at(-1)?.sequence ?? 0;
  const now = Date.now();
  const projectDocuments = async (kind: SubjectType) => {
    const [profiles, definitions] = await Promise.all([
      currentProfiles(database, kind, organizationId, changes),
      loadAttributes(database, organizationId, kind, maxAttributes),
    ]);
    const documents = profiles.map((current) => documentOf(current, now));
    await writeDocuments(clickhouse, kind, organizationId, documents, definitions);
    await removeDocuments(clickhouse, kind, organizationId, goneIds(kind, changes), version);
    return documents;
  };
  const [accounts, users] = await Promise.all([
    projectDocuments("account"),
    projectDocuments("user"),
    projectHappenings(clickhouse, organizationId, changes),
  ]);
  return new Map([...accounts, ...users].map(({ report }) => [String(report.id), report]));
}

/** Everything of consecutive changes but the documents: events, what became of older ones, memberships. */
export async function projectHappenings(
  clickhouse: ClickHouse,
  organizationId: string,
  changes: readonly PendingChange[],
): Promise<void> {
  const events = changes.flatMap(({ change, sequence }) =>
    change.events.map((event) => ({ event, version: sequence })),
  );
  await writeEvents(clickhouse, organizationId, events);
  for (const { change, sequence, isWritten } of changes) {
    if (isWritten) continue;
    await removeEvents(clickhouse, organizationId, change.replaced, sequence);
    const moves = change.merges.filter(({ kind, hasEvents }) => kind === "user" && hasEvents);
    await moveEvents(clickhouse, organizationId, moves, sequence);
    const erased = change.removed.flatMap(({ id, formerIds }) => [id, ...formerIds]);
    await eraseEvents(clickhouse, organizationId, erased);
    if (change.evaluation) await writeEvaluation(clickhouse, organizationId, change.evaluation, sequence);
  }
}

/** Whose segments may be others now. What evaluation itself changed is settled already. */
function touchedBy(changes: readonly LoggedChange[]): Touched {
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
  const gone = new Set([...goneIds("user", changes), ...goneIds("account", changes)]);
  for (const id of goneIds("user", changes)) user.add(id);
  for (const id of goneIds("account", changes)) account.add(id);
  return { user, account, activeAccount, gone };
}

/** The changed users or accounts: as the changes brought them along, else as they are stored. */
async function currentProfiles(
  database: Database,
  kind: SubjectType,
  organizationId: string,
  changes: readonly PendingChange[],
): Promise<VersionedProfile[]> {
  const brought = new Map<string, VersionedProfile>();
  for (const { sequence, profiles = [] } of changes) {
    for (const profile of profiles) if (profile.kind === kind) brought.set(profile.id, { profile, version: sequence });
  }
  const gone = new Set(goneIds(kind, changes));
  const ids = new Set(changes.flatMap(({ change }) => change[`${kind}s`].map(({ id }) => id)));
  const missing = [...ids].filter((id) => !brought.has(id) && !gone.has(id));
  const stored = await loadProfiles(database, kind, organizationId, { ids: missing, identifiers: [] });
  return [...brought.values(), ...stored].filter(({ profile }) => !gone.has(profile.id));
}

function goneIds(kind: SubjectType, changes: readonly LoggedChange[]): string[] {
  return changes.flatMap(({ change }) => [
    ...change.merges.filter((merge) => merge.kind === kind).map(({ loser }) => loser),
    ...change.removed.filter((removed) => removed.kind === kind).map(({ id }) => id),
  ]);
}

export function advance(cursor: ProjectCursor, changes: readonly LoggedChange[]): ProjectCursor {
  const positions = { ...cursor.positions };
  // A change that evaluation made carries the position of its cause, which others may have passed.
  for (const { lane, position } of changes) positions[lane] = Math.max(positions[lane] ?? 0, position);
  return { sequence: changes.at(-1)?.sequence ?? cursor.sequence, positions };
}
