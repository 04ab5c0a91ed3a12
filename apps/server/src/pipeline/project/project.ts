import type { SubjectType } from "@muster/protocol";
import { loadAttributes } from "../../audience/attribute-definitions.js";
import type { SubjectStatesOptions } from "../../audience/subject-states.js";
import { attributeType } from "../../domain/attributes/standard-fields.js";
import { ALL_VISIBLE, reportOf } from "../../domain/changes/report.js";
import type { Profile } from "../../domain/identity/profile.js";
import {
  type LoggedChange,
  type ProjectCursor,
  readChanges,
  saveProjectCursor,
} from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import { loadProfiles } from "../../storage/postgres/profiles/profiles.js";
import type { SubjectDocument, SubjectDocuments, TypeOf } from "../../storage/questions/projection.js";
import { evaluateTouched, type Reports, type Touched } from "../evaluate/evaluate.js";
import { finishMoves, type MoveOptions } from "../evaluate/make-moves.js";
import { type NotifyOptions, notifyChanges } from "../notify/notify.js";
import type { AppliedBatch } from "./handover.js";

export interface ProjectOptions extends MoveOptions, NotifyOptions {
  maxAttributes: number;
}

/** A change to project, with what the shortcut of the same process may have brought along. */
type PendingChange = LoggedChange & Partial<AppliedBatch>;

// Several micro-batches that wait are written together: an engine of columns likes few large writes.
const CHANGES_PER_STEP = 16;

/**
 * Writes the next changes of an organization to the question engine and advances the cursor. The engine notes what it has
 * with what it writes, so doing it again after a crash changes nothing. False when nothing waits.
 */
export async function projectNext(
  options: ProjectOptions,
  organizationId: string,
  cursor: ProjectCursor,
): Promise<boolean> {
  const { database, handover } = options;
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
  return logged;
}

/**
 * Projects consecutive changes: users and accounts as they are now, and everything that happened to them. Returns the
 * reports it has written. Without documents only what happened is written.
 */
export async function projectChanges(
  { database, questions, maxAttributes }: SubjectStatesOptions,
  organizationId: string,
  changes: readonly PendingChange[],
  { withDocuments } = { withDocuments: true },
): Promise<Reports> {
  const now = Date.now();
  const documentsOf = async (kind: SubjectType): Promise<SubjectDocuments> => {
    if (!withDocuments) return { written: [], gone: [] };
    const profiles = await currentProfiles(database, kind, organizationId, changes);
    return { written: profiles.map((current) => documentOf(current, now)), gone: goneIds(kind, changes) };
  };
  const [user, account, typeOf] = await Promise.all([
    documentsOf("user"),
    documentsOf("account"),
    loadTypes(database, organizationId, maxAttributes),
  ]);
  await questions.writeChanges(organizationId, { documents: { user, account }, changes, typeOf });
  return new Map([...account.written, ...user.written].map(({ report }) => [String(report.id), report]));
}

/** A profile with the version it was stored under. */
export interface VersionedProfile {
  profile: Profile;
  version: number;
}

export function documentOf({ profile, version }: VersionedProfile, now: number): SubjectDocument {
  return { report: reportOf(profile, ALL_VISIBLE, now), accountId: profile.accountId, version };
}

/** The types of everything that reports can hold. */
export async function loadTypes(database: Database, organizationId: string, maxAttributes: number): Promise<TypeOf> {
  const [user, account] = await Promise.all([
    loadAttributes(database, organizationId, "user", maxAttributes),
    loadAttributes(database, organizationId, "account", maxAttributes),
  ]);
  const definitions = { user, account };
  return (kind, key) => attributeType(kind, key, definitions[kind]);
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
    ...change.removed.filter((removed) => removed.kind === kind).flatMap(({ id, formerIds }) => [id, ...formerIds]),
  ]);
}

export function advance(cursor: ProjectCursor, changes: readonly LoggedChange[]): ProjectCursor {
  const positions = { ...cursor.positions };
  // A change that evaluation made carries the position of its cause, which others may have passed.
  for (const { lane, position } of changes) positions[lane] = Math.max(positions[lane] ?? 0, position);
  return { sequence: changes.at(-1)?.sequence ?? cursor.sequence, positions };
}
