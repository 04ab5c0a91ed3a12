/** Lanes keep bulk work from holding up the rest: `a`ctive before `l`ive before `b`ulk. */
export const LANE = { active: "a", live: "l", bulk: "b" } as const;
export type Lane = (typeof LANE)[keyof typeof LANE];
export const LANES: readonly Lane[] = [LANE.active, LANE.live, LANE.bulk];

/** How far something has come, in batches, by lane. */
export type LanePositions = Partial<Record<Lane, number>>;

/**
 * The lane to work on next: active work at once, live work before bulk work, except for bulk's share of one micro-batch
 * in `bulkEvery`. Neither starves the other.
 */
export function chooseLane(waiting: ReadonlySet<Lane>, turn: number, bulkEvery: number): Lane | undefined {
  const { active, live, bulk } = LANE;
  if (waiting.has(active)) return active;
  if (waiting.has(live) && waiting.has(bulk)) return turn % bulkEvery === 0 ? bulk : live;
  return LANES.find((lane) => waiting.has(lane));
}

/** Positions as clients get them: opaque to them, e.g. `a3.l12`. */
export function printPosition(positions: LanePositions): string {
  return LANES.flatMap((lane) => (positions[lane] === undefined ? [] : [`${lane}${positions[lane]}`])).join(".");
}

/** What `printPosition` printed, or undefined when it did not. */
export function parsePosition(text: string): LanePositions | undefined {
  const positions: LanePositions = {};
  for (const part of text.split(".")) {
    const match = /^([alb])(\d{1,15})$/.exec(part);
    if (!match) return undefined;
    positions[match[1] as Lane] = Number(match[2]);
  }
  return positions;
}

export function hasReached(reached: LanePositions, wanted: LanePositions): boolean {
  return LANES.every((lane) => (reached[lane] ?? 0) >= (wanted[lane] ?? 0));
}
