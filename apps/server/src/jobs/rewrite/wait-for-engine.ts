import { setTimeout as sleep } from "node:timers/promises";
import { readProjectCursor } from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";

const LOOK_AGAIN_MS = 50;

export interface EngineWait {
  database: Database;
  /** Makes the relay look for changes that it was not told of. */
  relaySoon(organizationId: string): void;
}

/** Waits until the question engine has a change. So a job never gets far ahead of it. */
export async function waitForEngine(
  { database, relaySoon }: EngineWait,
  organizationId: string,
  sequence: number,
  signal: AbortSignal,
): Promise<void> {
  while ((await readProjectCursor(database, organizationId)).sequence < sequence) {
    relaySoon(organizationId);
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
  }
}
