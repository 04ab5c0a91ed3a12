import { isOfJob } from "../../domain/undo/undo-recorder.js";
import { readChangeBefore } from "../../storage/postgres/changes/change-writers.js";
import type { Database } from "../../storage/postgres/database.js";
import { listReverts } from "../../storage/postgres/jobs/jobs.js";
import { IdDigests } from "./id-digests.js";
import { writerOfJob } from "./writer-of-job.js";

/**
 * The events of a job that its undos have taken back, as far as nobody has undone that. An undo that was canceled or has
 * failed has done a part, which the next one must leave out. Only the notes of the undo say which: an event without an id of
 * its sender has no key, and one with an id has lost its key.
 */
export async function findTakenEvents(
  database: Database,
  organizationId: string,
  writer: string,
  signal: AbortSignal,
): Promise<IdDigests> {
  const taken = new IdDigests();
  // Only jobs have notes of events.
  if (!isOfJob(writer)) return taken;
  for (const revert of await listReverts(database, organizationId, writer)) {
    const source = writerOfJob(revert);
    const undone = await findTakenEvents(database, organizationId, source, signal);
    const range = { writer: source, from: null, to: null };
    let sequence = Number.MAX_SAFE_INTEGER;
    for (;;) {
      signal.throwIfAborted();
      const found = await readChangeBefore(database, organizationId, range, sequence);
      if (!found) break;
      sequence = found.sequence;
      const { events, removedEvents } = found.change.undo?.[source] ?? {};
      for (const id of [...(events?.ids ?? []), ...(removedEvents?.ids ?? [])]) if (!undone.has(id)) taken.add(id);
    }
  }
  return taken;
}
