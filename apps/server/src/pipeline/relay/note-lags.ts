import { LANE } from "../../domain/entries/lanes.js";
import { readChangeTimes } from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import type { LagRecorder } from "../../storage/postgres/figures/lag-recorder.js";
import type { UnprojectedChange } from "../buffers/change-buffer.js";

export interface NoteLagsOptions {
  database: Database;
  lags: Pick<LagRecorder, "add">;
}

/** Notes how long the records of changes took to become searchable. */
export async function noteLags(
  { database, lags }: NoteLagsOptions,
  organizationId: string,
  changes: readonly UnprojectedChange[],
): Promise<void> {
  // Bulk work waits on purpose, and an evaluation is no record.
  const counted = changes.filter(({ lane, change }) => lane !== LANE.bulk && !change.evaluation);
  const unknown = counted.filter(({ appliedAt }) => appliedAt === undefined).map(({ sequence }) => sequence);
  const times = unknown.length > 0 ? await readChangeTimes(database, organizationId, unknown) : undefined;
  for (const { sequence, change, appliedAt = times?.get(sequence) } of counted) {
    const records = Math.max(1, change.events.length, change.users.length + change.accounts.length);
    if (appliedAt !== undefined) lags.add(organizationId, "search", appliedAt, records);
  }
}
