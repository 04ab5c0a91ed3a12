import type { SubjectType } from "@muster/protocol";
import type { ClickHouse } from "../engines/clickhouse.js";
import {
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
import type { AppliedBatch, Handover } from "./handover.js";

export interface ProjectOptions {
  database: Database;
  clickhouse: ClickHouse;
  maxAttributes: number;
}

// Several micro-batches that wait are written together: ClickHouse likes few large inserts.
const CHANGES_PER_STEP = 8;

/**
 * Writes the next changes of an organization to ClickHouse and advances the cursor. Every write carries the sequence of
 * its change as version, so doing it again after a crash changes nothing. False when nothing waits.
 */
export async function projectNext(
  options: ProjectOptions,
  organizationId: string,
  handover?: Handover,
): Promise<boolean> {
  const { database } = options;
  const cursor = await readProjectCursor(database, organizationId);
  const handed = handover?.takeAfter(organizationId, cursor.sequence) ?? [];
  const changes: (LoggedChange & Partial<AppliedBatch>)[] =
    handed.length > 0 ? handed : await readChanges(database, organizationId, cursor.sequence, CHANGES_PER_STEP);
  if (changes.length === 0) return false;
  await projectChanges(options, organizationId, changes);
  await saveProjectCursor(database, organizationId, advance(cursor, changes));
  return true;
}

/** Projects consecutive changes: documents as they are now, events as they were recorded, then merges and removals. */
export async function projectChanges(
  { database, clickhouse, maxAttributes }: ProjectOptions,
  organizationId: string,
  changes: readonly (LoggedChange & Partial<AppliedBatch>)[],
): Promise<void> {
  const version = changes.at(-1)?.sequence ?? 0;
  const now = Date.now();
  for (const kind of ["account", "user"] as const) {
    const profiles = await currentProfiles(database, kind, organizationId, changes);
    const definitions = await loadAttributes(database, organizationId, kind, maxAttributes);
    await writeDocuments(clickhouse, kind, organizationId, profiles, definitions, now);
    await removeDocuments(clickhouse, kind, organizationId, goneIds(kind, changes), version);
  }
  const events = changes.flatMap(({ change, sequence }) =>
    change.events.map((event) => ({ event, version: sequence })),
  );
  await writeEvents(clickhouse, organizationId, events);
  for (const { change, sequence } of changes) {
    await removeEvents(clickhouse, organizationId, change.replaced, sequence);
    const moves = change.merges.filter(({ kind, hasEvents }) => kind === "user" && hasEvents);
    await moveEvents(clickhouse, organizationId, moves, sequence);
    const erased = change.removed.flatMap(({ id, formerIds }) => [id, ...formerIds]);
    await eraseEvents(clickhouse, organizationId, erased);
  }
}

/** The changed users or accounts: as the changes brought them along, else as they are stored. */
async function currentProfiles(
  database: Database,
  kind: SubjectType,
  organizationId: string,
  changes: readonly (LoggedChange & Partial<AppliedBatch>)[],
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

function advance(cursor: ProjectCursor, changes: readonly LoggedChange[]): ProjectCursor {
  const positions = { ...cursor.positions };
  for (const { lane, position } of changes) positions[lane] = position;
  return { sequence: changes.at(-1)?.sequence ?? cursor.sequence, positions };
}
