import type { GivenMetric, ServiceCalls as ServiceCallsRecord } from "@muster/protocol/api/connector-metrics";
import type { FigureRange } from "@muster/protocol/api/deliveries";
import { figureSteps } from "../domain/charts/figure-range.js";
import type { Connector } from "../domain/connectors/connector.js";
import { countServiceCalls, lastServiceCalls, readServiceCalls } from "../storage/postgres/connectors/service-calls.js";
import type { Database } from "../storage/postgres/database.js";

/** How much connectors use the API of the service that they work with, as they report it. */
export class ServiceCalls {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  /** Counts what a connector reports, in this minute. */
  async add({ organizationId, id }: Connector, metrics: readonly GivenMetric[]): Promise<void> {
    const values = (name: GivenMetric["name"]) =>
      metrics.filter((metric) => metric.name === name).map(({ value }) => value);
    const remaining = values("ship.service_api.remaining");
    if (metrics.length === 0) return;
    await countServiceCalls(this.#database, organizationId, id, {
      calls: Math.round(values("ship.service_api.call").reduce((sum, value) => sum + value, 0)),
      remaining: remaining.length === 0 ? null : Math.round(Math.min(...remaining)),
    });
  }

  async read({ organizationId, id }: Connector, range: FigureRange, now: Date): Promise<ServiceCallsRecord> {
    const { since, stepMs, times } = figureSteps(range, now);
    const counted = await readServiceCalls(this.#database, organizationId, id, { since, stepMs });
    const last = await lastServiceCalls(this.#database, organizationId, id);
    const byTime = new Map(counted.map(({ at, ...counts }) => [at.getTime(), counts]));
    return {
      from: since.toISOString(),
      to: now.toISOString(),
      step_ms: stepMs,
      points: times.map((at) => ({
        at: new Date(at).toISOString(),
        ...(byTime.get(at) ?? { calls: 0, remaining: null }),
      })),
      total: { calls: counted.reduce((sum, { calls }) => sum + calls, 0) },
      last: { at: last?.at.toISOString() ?? null, remaining: last?.remaining ?? null },
    };
  }
}
