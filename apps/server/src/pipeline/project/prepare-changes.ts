import type { SubjectType } from "@muster/protocol";
import { loadAllAttributes } from "../../audience/attributes/attribute-definitions.js";
import { attributeType } from "../../domain/attributes/standard-fields.js";
import type { Profile } from "../../domain/profiles/profile.js";
import { ALL_VISIBLE, type Report, reportOf } from "../../domain/profiles/report.js";
import { type LoggedChange, readChangeTimes } from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import type { Revisions } from "../../storage/postgres/definitions/revisions.js";
import { loadProfiles } from "../../storage/postgres/profiles/profiles.js";
import type { ProjectionStep, SubjectDocument, SubjectDocuments, TypeOf } from "../../storage/questions/projection.js";
import type { UnprojectedChange } from "../buffers/change-buffer.js";

/** Reports of subjects, by id, as they were just written to the question engine. Some subjects may be missing. */
export type Reports = ReadonlyMap<string, Report>;

export interface PrepareOptions {
  database: Database;
  maxAttributes: number;
}

/** A profile with the version it was stored under. */
export interface VersionedProfile {
  profile: Profile;
  version: number;
}

/** How changes are prepared. */
export interface PrepareMode {
  /** Without documents, only events are written. */
  withDocuments: boolean;
  /** The changes were written before, so the documents are not indexed now. */
  isReplay: boolean;
  /**
   * The question engine was complete when this was the last change in the log. So it has no subject that a later change
   * created. Without it, any subject may be there.
   */
  completeAt?: number;
  /** What the organization has defined, when the caller has just read it. */
  revisions?: Revisions | undefined;
}

/** Changes as the question engine takes them. */
export interface PreparedChanges {
  step: ProjectionStep;
  /** The reports in the step. */
  reports: Reports;
  /** Profiles were read from the tables, so the question engine may get subjects that only later changes created. */
  isAhead: boolean;
}

/** Prepares consecutive changes for the question engine: the changed users and accounts as they are now, and the events. */
export async function prepareChanges(
  { database, maxAttributes }: PrepareOptions,
  organizationId: string,
  changes: readonly UnprojectedChange[],
  { withDocuments, isReplay, completeAt = Number.POSITIVE_INFINITY, revisions }: PrepareMode,
): Promise<PreparedChanges> {
  const now = Date.now();
  let isAhead = false;
  const documentsOf = async (subjectType: SubjectType): Promise<SubjectDocuments> => {
    if (!withDocuments) return { written: [], gone: [] };
    const { brought, stored } = await currentProfiles(database, subjectType, organizationId, changes);
    isAhead ||= stored.length > 0;
    const profiles = [...brought, ...stored];
    const written = isReplay
      ? await formerDocuments(database, organizationId, profiles)
      : profiles.map((current) => documentOf(current, now));
    if (stored.length === 0) markAdded(written, addedSubjects(subjectType, changes, completeAt));
    return { written, gone: goneIds(subjectType, changes) };
  };
  const [user, account, typeOf] = await Promise.all([
    documentsOf("user"),
    documentsOf("account"),
    loadTypes(database, organizationId, maxAttributes, revisions),
  ]);
  const reports = new Map([...account.written, ...user.written].map(({ report }) => [String(report.id), report]));
  return { step: { documents: { user, account }, changes, typeOf }, reports, isAhead };
}

/**
 * Documents of profiles that the question engine had before. They were indexed when they last changed, or, when the
 * change log does not hold that change any more, when they were last updated.
 */
export async function formerDocuments(
  database: Database,
  organizationId: string,
  profiles: readonly VersionedProfile[],
): Promise<SubjectDocument[]> {
  const times = await readChangeTimes(
    database,
    organizationId,
    profiles.map(({ version }) => version),
  );
  return profiles.map((current) => {
    const indexedAt = times.get(current.version);
    const document = documentOf(current, indexedAt ?? 0);
    if (indexedAt === undefined) document.report.indexed_at = document.report.updated_at ?? null;
    return document;
  });
}

function documentOf({ profile, version }: VersionedProfile, indexedAt: number): SubjectDocument {
  return { report: reportOf(profile, ALL_VISIBLE, indexedAt), accountId: profile.accountId, version };
}

/** The subjects that changes after `completeAt` have created, with the sequence of the change. */
function addedSubjects(
  subjectType: SubjectType,
  changes: readonly LoggedChange[],
  completeAt: number,
): ReadonlyMap<string, number> {
  const added = new Map<string, number>();
  for (const { sequence, change } of changes) {
    if (sequence <= completeAt) continue;
    // The engine may still have the document from before a merge that was undone.
    const restored = new Set(change.unmerges?.map((unmerged) => unmerged.restored));
    for (const { id, isNew } of change[`${subjectType}s`]) if (isNew && !restored.has(id)) added.set(id, sequence);
  }
  // What an undo has removed may have come back, and the engine may still have the earlier document.
  for (const { change } of changes) for (const { id } of change.removed) added.delete(id);
  return added;
}

function markAdded(documents: readonly SubjectDocument[], added: ReadonlyMap<string, number>): void {
  if (added.size === 0) return;
  for (const document of documents) {
    const addedBy = added.get(String(document.report.id));
    if (addedBy !== undefined) document.addedBy = addedBy;
  }
}

/** The types of all fields that reports can hold. */
export async function loadTypes(
  database: Database,
  organizationId: string,
  maxAttributes: number,
  revisions?: Revisions,
): Promise<TypeOf> {
  const definitions = await loadAllAttributes(database, organizationId, maxAttributes, revisions);
  return (subjectType, key) => attributeType(subjectType, key, definitions[subjectType]);
}

/** Ids of the users or accounts that the changes have erased or merged into others, and that did not come back. */
export function goneIds(subjectType: SubjectType, changes: readonly LoggedChange[]): string[] {
  const gone = new Set<string>();
  for (const { change } of changes) {
    // What an undo has removed comes back when that is undone.
    for (const { id, isNew } of change[`${subjectType}s`]) if (isNew) gone.delete(id);
    for (const { kind, loser } of change.merges) if (kind === subjectType) gone.add(loser);
    for (const { kind, restored } of change.unmerges ?? []) if (kind === subjectType) gone.delete(restored);
    for (const { kind, id, formerIds } of change.removed) {
      if (kind === subjectType) for (const one of [id, ...formerIds]) gone.add(one);
    }
  }
  return [...gone];
}

/** The changed users or accounts: those that the changes bring along, and the others as they are stored. */
async function currentProfiles(
  database: Database,
  subjectType: SubjectType,
  organizationId: string,
  changes: readonly UnprojectedChange[],
): Promise<Record<"brought" | "stored", VersionedProfile[]>> {
  const brought = new Map<string, VersionedProfile>();
  for (const { sequence, change, profiles = [] } of changes) {
    // A change may name a subject and not bring it along, as a user who follows a merged account. An earlier profile is old then.
    for (const { id } of change[`${subjectType}s`]) brought.delete(id);
    for (const profile of profiles) {
      if (profile.subjectType === subjectType) brought.set(profile.id, { profile, version: sequence });
    }
  }
  const gone = new Set(goneIds(subjectType, changes));
  const ids = new Set(changes.flatMap(({ change }) => change[`${subjectType}s`].map(({ id }) => id)));
  const missing = [...ids].filter((id) => !brought.has(id) && !gone.has(id));
  const stored = await loadProfiles(database, subjectType, organizationId, { ids: missing, identifiers: [] });
  const isThere = ({ profile }: VersionedProfile) => !gone.has(profile.id);
  return { brought: [...brought.values()].filter(isThere), stored: stored.filter(isThere) };
}
