/** The names of the stages, as people say them. */
export const STAGE_NAMES: Record<"apply" | "search" | "delivery", { name: string; meaning: string }> = {
  apply: { name: "Apply", meaning: "from the arrival of a record until users and accounts are changed" },
  search: { name: "Search", meaning: "from there until searches and segments have it" },
  delivery: { name: "Delivery", meaning: "from the queueing of a message until the connector has it" },
};

interface Lag {
  stage: "apply" | "search" | "delivery";
  p95_ms: number | null;
  behind_ms: number;
}

export interface WorstLag {
  ms: number;
  /** Which stage, and what the figure is. */
  note: string;
}

/** The slowest stage: by its 95th percentile, or by how long its oldest record waits now. */
export function worstLag(stages: readonly Lag[]): WorstLag | undefined {
  const lags = stages.flatMap(({ stage, p95_ms, behind_ms }) => [
    ...(p95_ms === null ? [] : [{ ms: p95_ms, note: `${STAGE_NAMES[stage].name}, 95 % within` }]),
    ...(behind_ms > 0 ? [{ ms: behind_ms, note: `${STAGE_NAMES[stage].name}, behind now` }] : []),
  ]);
  return lags.sort((one, other) => other.ms - one.ms)[0];
}
