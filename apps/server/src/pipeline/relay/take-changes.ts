import type { ChangeSet } from "../../domain/changes/change-set.js";
import { readNextChanges } from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import type { ChangeBuffer, UnprojectedChange } from "../buffers/change-buffer.js";

// Several micro-batches that wait are written together: a columnar engine is faster with few large writes. But a step
// must stay short, because other work of the thread and the next records wait for it.
const LIMITS = { changes: 16, bytes: 2 * 1024 * 1024 };
const MAX_SUBJECTS = 8_000;

/** The changes after a sequence, from the buffer or else from the change log. */
export async function takeChanges(
  { changeBuffer, database }: { changeBuffer: ChangeBuffer; database: Database },
  organizationId: string,
  after: number,
): Promise<readonly UnprojectedChange[]> {
  const buffered = changeBuffer.takeAfter(organizationId, after);
  if (buffered.length > 0) return buffered;
  // This process has just started, has failed, or does not keep up.
  const changes = await readNextChanges(database, organizationId, after, LIMITS);
  let subjects = 0;
  const end = changes.findIndex(({ change }) => {
    subjects += subjectsIn(change);
    return subjects > MAX_SUBJECTS;
  });
  return end === -1 ? changes : changes.slice(0, Math.max(1, end));
}

function subjectsIn({ users, accounts, events }: ChangeSet): number {
  return users.length + accounts.length + events.length;
}
