import type { Counts, DeliveryFigures as DeliveryFiguresRecord, FigureRange } from "@muster/protocol/api/deliveries";
import { figureSteps } from "../../domain/charts/figure-range.js";
import type { Connector } from "../../domain/connectors/connector.js";
import type { Database } from "../../storage/postgres/database.js";
import { listCauses } from "../../storage/postgres/delivery/delivery-causes.js";
import { type DeliveryCounts, readDeliveryCounts } from "../../storage/postgres/delivery/delivery-minutes.js";

const NOTHING: DeliveryCounts = {
  considered: 0,
  addressed: 0,
  withheld: 0,
  queued: 0,
  calls: 0,
  failedCalls: 0,
  sent: 0,
  delivered: 0,
  skipped: 0,
  unreported: 0,
  retried: 0,
  refused: 0,
  dead: 0,
  lagMs: 0,
};

/** What became of the messages of a connector over time, and why calls to it failed. */
export class DeliveryFigures {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  async read({ organizationId, id }: Connector, range: FigureRange, now: Date): Promise<DeliveryFiguresRecord> {
    const { since, stepMs, times } = figureSteps(range, now);
    const counted = await readDeliveryCounts(this.#database, organizationId, id, { since, stepMs });
    const causes = await listCauses(this.#database, organizationId, id, since);
    const byTime = new Map(counted.map(({ at, ...counts }) => [at.getTime(), counts]));
    return {
      from: since.toISOString(),
      to: now.toISOString(),
      step_ms: stepMs,
      points: times.map((at) => ({ at: new Date(at).toISOString(), ...countsRecord(byTime.get(at) ?? NOTHING) })),
      total: countsRecord(counted.reduce(sum, NOTHING)),
      causes: causes.map(({ lastAt, ...cause }) => ({ ...cause, last_at: lastAt.toISOString() })),
    };
  }
}

function sum(total: DeliveryCounts, counts: DeliveryCounts): DeliveryCounts {
  return {
    considered: total.considered + counts.considered,
    addressed: total.addressed + counts.addressed,
    withheld: total.withheld + counts.withheld,
    queued: total.queued + counts.queued,
    calls: total.calls + counts.calls,
    failedCalls: total.failedCalls + counts.failedCalls,
    sent: total.sent + counts.sent,
    delivered: total.delivered + counts.delivered,
    skipped: total.skipped + counts.skipped,
    unreported: total.unreported + counts.unreported,
    retried: total.retried + counts.retried,
    refused: total.refused + counts.refused,
    dead: total.dead + counts.dead,
    lagMs: Math.max(total.lagMs, counts.lagMs),
  };
}

function countsRecord({ failedCalls, lagMs, ...counts }: DeliveryCounts): Counts {
  return { ...counts, failed_calls: failedCalls, lag_ms: lagMs };
}
