import type { Entry } from "../domain/entries/entry.js";
import { hashedKeys, PastErasures } from "../domain/erasure/past-erasures.js";
import type { KeyedHash } from "../runtime/secrets/keyed-hash.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import { findErasedHashes } from "../storage/postgres/changes/erased-identifiers.js";
import { clearLeftover, lockLeftover } from "../storage/postgres/changes/leftovers.js";
import type { Database } from "../storage/postgres/database.js";

export interface CleanLeftoversOptions {
  database: Database;
  log: Pick<IngestionLog, "dropBatch">;
  hash: KeyedHash;
}

/** Takes entries out of the ingestion log that were dropped when they were applied, because their subject was erased. */
export async function cleanLeftovers(options: CleanLeftoversOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await cleanNext(options)));
}

/** Cleans one batch; false when none is left. */
async function cleanNext({ database, log, hash }: CleanLeftoversOptions): Promise<boolean> {
  return database.transaction(async (tx) => {
    const leftover = await lockLeftover(tx);
    if (!leftover) return false;
    const { organizationId, lane, position } = leftover;
    if (!leftover.batch) await log.dropBatch(organizationId, lane, position);
    const { entries = [], receivedAt = new Date() } = leftover.batch ?? {};
    const hashes = entries.flatMap((entry) => [
      ...hashedKeys("user", entry, hash),
      ...hashedKeys("account", entry, hash),
    ]);
    const known = await findErasedHashes(tx, organizationId, hashes);
    const erasures = new PastErasures({ hash, known, receivedAt: () => receivedAt.getTime() });
    const kept = entries.map((entry) => erasures.withoutErased(entry)).filter((entry): entry is Entry => !!entry);
    await clearLeftover(tx, leftover, kept);
    return true;
  });
}
