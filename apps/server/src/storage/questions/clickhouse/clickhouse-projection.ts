import type { SubjectType } from "@muster/protocol";
import type { EventsOfEvaluation, Projection, ProjectionStep, SequencedChange } from "../projection.js";
import type { Statements } from "./client/statements.js";
import type { Layout } from "./schema/layout.js";
import { dropProgress, dropRows, eraseSubjects, hideEvents, removeDeletedRows } from "./write/erase.js";
import {
  NOTHING,
  organizationsWithProgress,
  readProgress,
  type StoredProgress,
  writeProgress,
} from "./write/progress.js";
import { removeDocuments, writeDocuments } from "./write/write-documents.js";
import { moveEvents, removeEvents, renameEvents, returnEvents, writeEvents } from "./write/write-events.js";
import { writeEvaluation } from "./write/write-memberships.js";

/**
 * The version of a row is the sequence of its change, so writing a row again changes nothing. Progress is written after
 * the rows. After a crash in between, the rows are written again.
 */
export function clickhouseProjection(statements: Statements, layout: Layout, eventsOf: EventsOfEvaluation): Projection {
  /** Progress is reset before the rows are deleted: after a crash in between, it must not claim deleted rows. */
  const clear = async (organizationId: string): Promise<StoredProgress> => {
    const before = await readProgress(statements, organizationId);
    const empty = await writeProgress(statements, organizationId, before, NOTHING);
    await dropRows(statements, layout, organizationId);
    return empty;
  };

  return {
    async progress(organizationId) {
      const { version: _, ...progress } = await readProgress(statements, organizationId);
      return progress;
    },

    organizations: () => organizationsWithProgress(statements),

    async begin(organizationId, generation) {
      const empty = await clear(organizationId);
      const documents = { kind: "account", afterId: "" } as const;
      await writeProgress(statements, organizationId, empty, { generation, documents });
    },

    async writeDocuments(organizationId, documents, progress, typeOf) {
      const before = await readProgress(statements, organizationId);
      await writeDocuments(statements, progress.kind, organizationId, documents, typeOf);
      const documentCount = before.documentCount + documents.length;
      await writeProgress(statements, organizationId, before, { documents: progress, documentCount });
    },

    async endDocuments(organizationId, until) {
      const before = await readProgress(statements, organizationId);
      await writeProgress(statements, organizationId, before, { documents: undefined, documentsUntil: until });
    },

    async writeChanges(organizationId, step) {
      const last = step.changes.at(-1);
      if (!last) return;
      const before = await readProgress(statements, organizationId);
      const changes = step.changes.filter(({ sequence }) => sequence > before.sequence);
      if (changes.length === 0) return;
      await Promise.all([
        projectDocuments(statements, organizationId, "account", step),
        projectDocuments(statements, organizationId, "user", step),
        projectEventsAndMemberships(statements, organizationId, changes, eventsOf),
      ]);
      await writeProgress(statements, organizationId, before, { sequence: last.sequence });
    },

    writeEvaluation: (organizationId, sequence, evaluation) =>
      writeEvaluation(statements, organizationId, sequence, evaluation, eventsOf(evaluation, sequence)),

    async erase(organizationId, ids) {
      await eraseSubjects(statements, layout, organizationId, ids);
      if (ids.length > 0) await removeDeletedRows(statements, layout, organizationId);
    },

    async drop(organizationId) {
      await clear(organizationId);
      await dropProgress(statements, layout, organizationId);
    },
  };
}

async function projectDocuments(
  statements: Statements,
  organizationId: string,
  kind: SubjectType,
  { documents, changes, typeOf }: ProjectionStep,
): Promise<void> {
  const { written, gone } = documents[kind];
  await writeDocuments(statements, kind, organizationId, written, typeOf);
  await removeDocuments(statements, kind, organizationId, gone, changes.at(-1)?.sequence ?? 0);
}

/** Writes everything of consecutive changes except the documents: new, replaced, moved and hidden events, memberships. */
async function projectEventsAndMemberships(
  statements: Statements,
  organizationId: string,
  changes: readonly SequencedChange[],
  eventsOf: EventsOfEvaluation,
): Promise<void> {
  const events = changes.flatMap(({ change, sequence }) =>
    change.events.map((event) => ({ event, version: sequence })),
  );
  await writeEvents(statements, organizationId, events);
  for (const { change, sequence } of changes) {
    await removeEvents(statements, organizationId, change.replaced, sequence);
    const moves = change.merges.filter(({ kind, hasEvents }) => kind === "user" && hasEvents);
    await moveEvents(statements, organizationId, moves, sequence);
    for (const unmerged of change.unmerges ?? []) await returnEvents(statements, organizationId, unmerged, sequence);
    for (const names of change.renamed ?? []) await renameEvents(statements, organizationId, names, sequence);
    const erased = change.removed.flatMap(({ id, formerIds }) => [id, ...formerIds]);
    await hideEvents(statements, organizationId, erased, sequence);
    if (change.evaluation) {
      const events = eventsOf(change.evaluation, sequence);
      await writeEvaluation(statements, organizationId, sequence, change.evaluation, events);
    }
  }
}
