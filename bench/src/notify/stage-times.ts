import type { ResultTable } from "../lib/bench-result.js";
import { type MetricSample, sumOf } from "../lib/read-metrics.js";

/** How long the steps of one stage took between two readings of the metrics. */
export interface StageTime {
  stage: string;
  steps: number;
  meanMs: number;
}

const STEPS = "muster_pipeline_stage_seconds";
const CALLS = "muster_connector_call_seconds";

/** The steps of the pipeline and the calls of one connector. */
export function stageTimes(
  before: readonly MetricSample[],
  after: readonly MetricSample[],
  connectorId: string,
): StageTime[] {
  const stages = new Set(after.filter(({ name }) => name === `${STEPS}_count`).map(({ labels }) => labels.stage ?? ""));
  const timed = (stage: string, metric: string, accepts: (labels: Record<string, string>) => boolean): StageTime => {
    const grown = (part: string) =>
      (sumOf(after, `${metric}_${part}`, accepts) ?? 0) - (sumOf(before, `${metric}_${part}`, accepts) ?? 0);
    const steps = grown("count");
    return { stage, steps, meanMs: steps === 0 ? 0 : (1_000 * grown("sum")) / steps };
  };
  return [
    ...[...stages].map((stage) => timed(stage, STEPS, (labels) => labels.stage === stage)),
    timed("the connector's answer", CALLS, ({ connector }) => connector === connectorId),
  ].filter(({ steps }) => steps > 0);
}

/**
 * Where the delay of a change comes from: a change waits for at most one step of each stage and then takes part in the
 * next one. The rest is waiting, the queue, and the way to the connector.
 */
export function stageTable(times: readonly StageTime[], seconds: number, p50Ms: number): ResultTable {
  const known = times.reduce((sum, { meanMs }) => sum + meanMs, 0);
  return {
    headings: ["where the delay comes from", "steps/s", "mean ms"],
    rows: [
      ...times.map(({ stage, steps, meanMs }) => [stage, (steps / seconds).toFixed(1), meanMs]),
      ["the rest of the median: waiting, the queue, the call", "", Math.max(0, p50Ms - known)],
    ],
  };
}
