import { isObject } from "@muster/protocol";
import type { Entry } from "../../domain/entries/entry.js";
import type { Lane } from "../../domain/entries/lanes.js";
import { Breather } from "../../runtime/loops/breather.js";
import { decompressEntries } from "../../storage/ingest-log/compressed-entries.js";
import type { IngestionLog } from "../../storage/ingest-log/ingestion-log.js";
import type { LoggedBatch } from "../../storage/ingest-log/log-batch.js";
import type { Transaction } from "../../storage/postgres/database.js";
import type { ApplyCursor } from "../../storage/postgres/ingest/apply-cursors.js";
import type { BatchBuffer } from "../buffers/batch-buffer.js";

// Every stage holds a micro-batch in memory and computes parts of it without a pause. 4,000 ordinary entries are smaller.
const MAX_BYTES = 2 * 1024 * 1024;
// Each value costs about a microsecond in some of these parts. Ordinary entries have less than ten.
const MAX_VALUES = 40_000;

export interface EntrySources {
  log: Pick<IngestionLog, "read">;
  batchBuffer: BatchBuffer;
}

export interface TakenEntries {
  entries: Entry[];
  cursor: ApplyCursor;
  batchOf: Map<Entry, Pick<LoggedBatch, "position" | "receivedAt">>;
}

/**
 * Takes the next entries of a lane: from the buffer, or from the log when they are not there. Returns also the cursor
 * after them, and the batch that each came with.
 */
export async function takeEntries(
  tx: Transaction,
  { log, batchBuffer }: EntrySources,
  organizationId: string,
  cursors: readonly ApplyCursor[],
  { lane, maxEntries }: { lane: Lane; maxEntries: number },
): Promise<TakenEntries> {
  const cursor = cursors.find((candidate) => candidate.lane === lane)!;
  const applied = Object.fromEntries(cursors.map((known) => [known.lane, known.position]));
  batchBuffer.forget(organizationId, applied);
  const wanted = { maxEntries: maxEntries + cursor.offset, maxBytes: MAX_BYTES };
  const buffered = batchBuffer.after(organizationId, lane, cursor.position, wanted);
  const batches = buffered.length > 0 ? buffered : await log.read(tx, organizationId, lane, cursor, wanted);
  return entriesAfter(cursor, batches, maxEntries);
}

async function entriesAfter(
  cursor: ApplyCursor,
  batches: readonly LoggedBatch[],
  maxEntries: number,
): Promise<TakenEntries> {
  const entries: Entry[] = [];
  const batchOf: TakenEntries["batchOf"] = new Map();
  const after: ApplyCursor = { ...cursor };
  const breather = new Breather();
  let values = 0;
  for (const batch of batches) {
    if (breather.isDue) await breather.pause();
    if (entries.length === maxEntries || values > MAX_VALUES) break;
    // Decompressed only here, so that batches after the last needed one stay compressed.
    const all = decompressEntries(batch);
    // Connectors are notified of a whole micro-batch or not at all. The entries of one batch are alike in that.
    if (entries.length > 0 && all[0]?.quiet !== entries[0]?.quiet) break;
    after.receivedAt = batch.receivedAt;
    for (const entry of all.slice(after.offset)) {
      // An entry that undoes a merge has a micro-batch of its own: all halves of its subject are loaded for it.
      const isAlone = entries.length > 0 && (entry.type === "unmerge" || entries[0]?.type === "unmerge");
      if (entries.length === maxEntries || values > MAX_VALUES || isAlone) return { entries, cursor: after, batchOf };
      entries.push(entry);
      batchOf.set(entry, batch);
      after.offset += 1;
      values += valuesIn(entry);
    }
    after.position = batch.position;
    after.offset = 0;
  }
  return { entries, cursor: after, batchOf };
}

function valuesIn({ body }: Entry): number {
  const { properties } = body;
  return Object.keys(body).length + (isObject(properties) ? Object.keys(properties).length : 0);
}
