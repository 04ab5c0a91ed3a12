import { MINUTE_MS } from "@muster/protocol";
import type { Delivery } from "@muster/protocol/api/deliveries";
import type { Lag } from "@muster/protocol/api/overview";
import { LANE } from "../domain/entries/lanes.js";
import { percentileOf } from "../runtime/measures/lag-buckets.js";
import type { Database } from "../storage/postgres/database.js";
import { LAG_STAGES, type LagStage, readLags } from "../storage/postgres/figures/lag-figures.js";
import { readWaitingSince } from "../storage/postgres/figures/waiting-since.js";

const WINDOW_MS = 5 * MINUTE_MS;

/**
 * How long records took in each stage in the last five minutes, and how long the oldest one waits now. Bulk work is left
 * out: it waits on purpose.
 */
export async function readStageLags(
  database: Database,
  organizationId: string,
  deliveries: readonly Pick<Delivery, "lag_ms">[],
  now: Date,
): Promise<Lag> {
  const since = new Date(Math.floor((now.getTime() - WINDOW_MS) / MINUTE_MS) * MINUTE_MS);
  const [counts, waiting] = await Promise.all([
    readLags(database, organizationId, since),
    readWaitingSince(database, organizationId, [LANE.active, LANE.live]),
  ]);
  const age = (date: Date | undefined) => (date ? Math.max(0, now.getTime() - date.getTime()) : 0);
  const behind: Record<LagStage, number> = {
    apply: age(waiting.apply),
    search: age(waiting.search),
    delivery: Math.max(0, ...deliveries.map(({ lag_ms }) => lag_ms)),
  };
  const stages = LAG_STAGES.map((stage) => {
    const buckets = counts.filter((count) => count.stage === stage);
    return {
      stage,
      records: buckets.reduce((sum, { records }) => sum + records, 0),
      p50_ms: percentileOf(buckets, 0.5),
      p95_ms: percentileOf(buckets, 0.95),
      behind_ms: behind[stage],
    };
  });
  return {
    since: since.toISOString(),
    stages,
    behind_ms: Math.max(behind.apply, behind.search),
    waiting_records: waiting.unappliedEntries,
  };
}
