import type { SubjectType } from "@muster/protocol";
import type { Cell } from "../../domain/profiles/profile.js";
import { lockChangeHead } from "../../storage/postgres/changes/changes.js";
import type { Database, Transaction } from "../../storage/postgres/database.js";
import { pageHalves, saveHalfStates } from "../../storage/postgres/profiles/merge-halves.js";

/** The page of halves that is next. */
export interface HalvesPage {
  subjectType: SubjectType;
  after: string;
  limit: number;
}

/** What was done with a page of halves. */
export interface RewrittenHalves {
  read: number;
  changed: number;
  /** Undefined after the last page. */
  last: string | undefined;
}

/**
 * Changes what merged subjects would be without the merge. Nobody sees that until the merge is undone, so there is nothing
 * to tell the question engine. The lock on the change log keeps micro-batches out until the transaction ends, so no merge and no
 * undo of one comes in between. `edit` changes cells and returns whether it did; `save` stores the checkpoint.
 */
export function rewriteHalves(
  database: Database,
  organizationId: string,
  { subjectType, after, limit }: HalvesPage,
  edit: (cells: Map<string, Cell | undefined>) => boolean,
  save: (done: RewrittenHalves, tx: Transaction) => Promise<void>,
): Promise<void> {
  return database.transaction(async (tx) => {
    await lockChangeHead(tx, organizationId);
    const { halves, last } = await pageHalves(tx, subjectType, organizationId, after, limit);
    const changed = halves.filter(({ profile, undecided }) => {
      // The second holds what the half had before records of which nobody can tell whom they meant.
      const edits = [edit(profile.cells), edit(undecided.cells)];
      return edits.includes(true);
    });
    await saveHalfStates(tx, organizationId, changed);
    await save({ read: halves.length, changed: changed.length, last }, tx);
  });
}
