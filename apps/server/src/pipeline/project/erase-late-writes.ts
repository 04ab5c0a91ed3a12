import { readProjectCursor } from "../../storage/postgres/changes/changes.js";
import { findErased } from "../../storage/postgres/changes/erasures.js";
import type { Database } from "../../storage/postgres/database.js";
import type { ProjectionStep } from "../../storage/questions/projection.js";
import type { Questions } from "../../storage/questions/questions.js";

/**
 * A question engine that several processes write to, without what a late write brings back. A process may be suspended in the
 * middle of a write. Meanwhile another process takes over, erases a subject, and cleans the engine; then the first process
 * goes on with what it had in memory. So after each write, when others have come further in the meantime, the subjects of the
 * write that are erased by now are erased again. An erasure is stored before the engine is cleaned, and the write is done
 * before the erasures are read, so one of the two finds the rows.
 */
export function eraseLateWrites(database: Database, questions: Questions): Questions {
  const eraseAgain = async (organizationId: string, ids: Iterable<string>): Promise<void> => {
    const erased = await findErased(database, organizationId, [...ids]);
    if (erased.size > 0) await questions.erase(organizationId, [...erased]);
  };
  /** Whether the engine had been written and cleaned up to this change, or further. Its own writer says so afterwards. */
  const isOvertaken = async (organizationId: string, sequence: number): Promise<boolean> =>
    (await readProjectCursor(database, organizationId)).sequence >= sequence;

  return {
    ...questions,

    async writeDocuments(organizationId, documents, progress, typeOf) {
      await questions.writeDocuments(organizationId, documents, progress, typeOf);
      await eraseAgain(
        organizationId,
        documents.map(({ report }) => String(report.id)),
      );
    },

    async writeChanges(organizationId, step) {
      await questions.writeChanges(organizationId, step);
      const last = step.changes.at(-1);
      if (last && (await isOvertaken(organizationId, last.sequence)))
        await eraseAgain(organizationId, subjectsIn(step));
    },

    async writeEvaluation(organizationId, sequence, evaluation) {
      await questions.writeEvaluation(organizationId, sequence, evaluation);
      if (!(await isOvertaken(organizationId, sequence))) return;
      await eraseAgain(
        organizationId,
        evaluation.moves.flatMap(({ entered, left }) => [...entered, ...left]),
      );
    },
  };
}

/** Everybody whom a step writes about. */
function subjectsIn({ documents, changes }: ProjectionStep): Set<string> {
  const ids = new Set([...documents.user.written, ...documents.account.written].map(({ report }) => String(report.id)));
  for (const { change } of changes) {
    for (const { user_id, origin_id, account_id } of change.events) {
      for (const id of [user_id, origin_id, account_id]) if (id) ids.add(id);
    }
    for (const { entered, left } of change.evaluation?.moves ?? []) for (const id of [...entered, ...left]) ids.add(id);
  }
  return ids;
}
