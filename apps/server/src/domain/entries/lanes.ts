/**
 * Entries go through the log in three lanes, so that bulk work does not delay the rest. Active comes before live, live
 * before bulk.
 */
export const LANE = { active: "a", live: "l", bulk: "b" } as const;
export type Lane = (typeof LANE)[keyof typeof LANE];
export const LANES: readonly Lane[] = [LANE.active, LANE.live, LANE.bulk];

/** The number of the last batch in each lane that something has reached. */
export type LanePositions = Partial<Record<Lane, number>>;

// End users can write active entries at any rate, so the other lanes must go on while active entries wait.
const OTHERS_EVERY = 4;

/**
 * The lane to work on next. Active work comes first, then live work. While active work waits, one micro-batch in
 * `OTHERS_EVERY` is live or bulk work. While live and bulk work wait, one in `bulkEvery` of theirs is bulk work.
 */
export function chooseLane(waiting: ReadonlySet<Lane>, turn: number, bulkEvery: number): Lane | undefined {
  const { active, live, bulk } = LANE;
  const othersWait = waiting.has(live) || waiting.has(bulk);
  if (waiting.has(active) && (!othersWait || turn % OTHERS_EVERY !== 0)) return active;
  const othersTurn = waiting.has(active) ? turn / OTHERS_EVERY : turn;
  if (waiting.has(live) && waiting.has(bulk)) return othersTurn % bulkEvery === 0 ? bulk : live;
  return [live, bulk].find((lane) => waiting.has(lane));
}

/** Positions as clients get them, such as `a3.l12`. Clients must not read anything out of them. */
export function formatPosition(positions: LanePositions): string {
  return LANES.flatMap((lane) => (positions[lane] === undefined ? [] : [`${lane}${positions[lane]}`])).join(".");
}

// Three lanes with numbers of at most 15 digits.
const MAX_POSITION_LENGTH = 3 * 17;

/** Parses the result of `formatPosition`; undefined when the text is something else. */
export function parsePosition(text: string): LanePositions | undefined {
  if (text.length > MAX_POSITION_LENGTH) return undefined;
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
