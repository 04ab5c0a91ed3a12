import type { RefusedComputed } from "../../audience/computed/known-computed.js";
import { markComputedBroken } from "../../storage/postgres/computed/fill-progress.js";
import type { Database } from "../../storage/postgres/database.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";

/** Stores that attributes cannot be computed. Their values stay as they are until another trial succeeds. */
export async function noteRefused(
  { database, lease }: { database: Database; lease: WorkLease },
  organizationId: string,
  refused: readonly RefusedComputed[],
): Promise<void> {
  if (refused.length === 0) return;
  await database.transaction(async (tx) => {
    await lease.confirm(tx);
    await markComputedBroken(
      tx,
      organizationId,
      refused.map(({ computed: { id, revision }, problem }) => ({ id, revision, problem })),
    );
  });
}
