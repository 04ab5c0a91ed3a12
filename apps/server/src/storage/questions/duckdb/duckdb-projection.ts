import type { SubjectType } from "@muster/protocol";
import type {
  EventsOfEvaluation,
  ProjectedEvent,
  Projection,
  ProjectionStep,
  SequencedChange,
  SubjectDocument,
} from "../projection.js";
import type { OrganizationFile } from "./engine/organization-file.js";
import type { OrganizationFiles } from "./engine/organization-files.js";
import type { FileTransaction } from "./engine/transaction.js";
import { keysOf } from "./layout/keys.js";
import { fieldsOf, writeDocument } from "./write/write-document.js";
import {
  eraseEvents,
  moveEvents,
  removeEvents,
  renameEvents,
  returnEvents,
  writeEvents,
} from "./write/write-events.js";
import { eraseMemberships, writeMoves } from "./write/write-memberships.js";

const SUBJECT_TYPES = ["account", "user"] as const;

/** Rows and progress are written in the same transaction, so the progress in a file is always correct. */
export function duckdbProjection(files: OrganizationFiles, eventsOf: EventsOfEvaluation): Projection {
  return {
    organizations: () => files.list(),
    progress: (organizationId) => files.use(organizationId, async (file) => file.progress),

    async begin(organizationId, generation) {
      await files.remove(organizationId);
      const documents = { kind: "account", afterId: "" } as const;
      const progress = { generation, sequence: 0, documents, documentsUntil: 0, documentCount: 0 };
      await files.use(organizationId, (file) => file.write((tx) => file.saveProgress(tx, progress)));
    },

    writeDocuments: (organizationId, documents, progress, typeOf) =>
      files.use(organizationId, async (file) => {
        const { kind } = progress;
        await file.addFields(kind, fieldsOf(kind, documents, file.layouts[kind], typeOf));
        await file.write(async (tx) => {
          await appendDocuments(file, tx, kind, documents);
          const documentCount = file.progress.documentCount + documents.length;
          await file.saveProgress(tx, { ...file.progress, documents: progress, documentCount });
        });
      }),

    endDocuments: (organizationId, until) =>
      files.use(organizationId, (file) =>
        file.write((tx) => file.saveProgress(tx, { ...file.progress, documents: undefined, documentsUntil: until })),
      ),

    writeChanges: (organizationId, step) => files.use(organizationId, (file) => writeChanges(file, step, eventsOf)),

    writeEvaluation: (organizationId, sequence, evaluation) =>
      files.use(organizationId, async (file) => {
        await file.write(async (tx) => {
          // Looked up in the transaction, because another writer may have written the same change just before.
          if (sequence <= file.progress.sequence || file.ahead.has(sequence)) return;
          await writeMoves(file, tx, evaluation.moves, new Date(evaluation.at));
          await writeEvents(file, tx, eventsOf(evaluation, sequence));
          tx.runLater(`insert into ${tx.databaseName}.ahead (sequence) values (${sequence})`);
          tx.onCommit(() => file.ahead.add(sequence));
        });
      }),

    async erase(organizationId, ids) {
      await files.use(organizationId, (file) =>
        file.write(async (tx) => {
          for (const subjectType of SUBJECT_TYPES) removeDocuments(tx, subjectType, ids);
          await eraseEvents(file, tx, ids);
          eraseMemberships(tx, ids);
        }),
      );
      if (ids.length > 0) await files.compact(organizationId);
    },

    drop: (organizationId) => files.removeAll(organizationId),
  };
}

async function writeChanges(
  file: OrganizationFile,
  { documents, changes, typeOf }: ProjectionStep,
  eventsOf: EventsOfEvaluation,
): Promise<void> {
  const last = changes.at(-1)?.sequence ?? 0;
  if (last <= file.progress.sequence) return;
  for (const subjectType of SUBJECT_TYPES) {
    const { written } = documents[subjectType];
    await file.addFields(subjectType, fieldsOf(subjectType, written, file.layouts[subjectType], typeOf));
  }
  await file.write(async (tx) => {
    // Another writer may have written newer documents in the meantime.
    if (last <= file.progress.sequence) return;
    for (const subjectType of SUBJECT_TYPES) {
      const { written, gone } = documents[subjectType];
      // A step may be repeated together with later changes. The file has the subjects that its own changes created.
      const replaced = written.filter(({ addedBy = 0 }) => addedBy <= file.progress.sequence);
      removeDocuments(tx, subjectType, [...replaced.map(({ report }) => String(report.id)), ...gone]);
      await appendDocuments(file, tx, subjectType, written);
    }
    const missing = changes.filter(({ sequence }) => sequence > file.progress.sequence && !file.ahead.has(sequence));
    await writeEventsAndMemberships(file, tx, missing, eventsOf);
    await file.saveProgress(tx, { ...file.progress, sequence: last });
    forgetAhead(file, tx, last);
  });
}

/**
 * Writes everything of changes except the documents. Events are collected over several changes. They are written before a
 * change that removes, moves or renames events, because it may concern events of the changes before it.
 */
async function writeEventsAndMemberships(
  file: OrganizationFile,
  tx: FileTransaction,
  changes: readonly SequencedChange[],
  eventsOf: EventsOfEvaluation,
): Promise<void> {
  let events: ProjectedEvent[] = [];
  const writeCollected = async () => {
    await writeEvents(file, tx, events);
    events = [];
  };
  for (const { change, sequence } of changes) {
    if (change.replaced.length > 0) {
      await writeCollected();
      removeEvents(tx, change.replaced);
    }
    for (const event of change.events) events.push(event);
    if (change.evaluation) {
      await writeMoves(file, tx, change.evaluation.moves, new Date(change.evaluation.at));
      for (const event of eventsOf(change.evaluation, sequence)) events.push(event);
    }
    const moves = change.merges.filter(({ kind, hasEvents }) => kind === "user" && hasEvents);
    const { renamed = [], unmerges = [] } = change;
    if (moves.length + unmerges.length + change.removed.length + renamed.length === 0) continue;
    await writeCollected();
    for (const names of renamed) await renameEvents(file, tx, names);
    await moveEvents(file, tx, moves);
    for (const unmerged of unmerges) await returnEvents(file, tx, unmerged);
    const erased = change.removed.flatMap(({ id, formerIds }) => [id, ...formerIds]);
    await eraseEvents(file, tx, erased);
    eraseMemberships(tx, erased);
  }
  await writeCollected();
}

async function appendDocuments(
  file: OrganizationFile,
  tx: FileTransaction,
  subjectType: SubjectType,
  documents: readonly SubjectDocument[],
): Promise<void> {
  if (documents.length === 0) return;
  const layout = file.layouts[subjectType];
  await tx.append(`${subjectType}s`, layout.columns, documents, (document, row) =>
    writeDocument(subjectType, document, layout, row),
  );
}

function removeDocuments(tx: FileTransaction, subjectType: SubjectType, ids: readonly string[]): void {
  tx.deleteKeys(`${subjectType}s`, "key", keysOf(ids));
}

/** Removes sequences from `ahead` once all changes up to them are written. */
function forgetAhead(file: OrganizationFile, tx: FileTransaction, until: number): void {
  const passed = [...file.ahead].filter((sequence) => sequence <= until);
  if (passed.length === 0) return;
  tx.runLater(`delete from ${tx.databaseName}.ahead where sequence <= ${until}`);
  tx.onCommit(() => {
    for (const sequence of passed) file.ahead.delete(sequence);
  });
}
