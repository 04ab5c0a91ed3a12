import { SEGMENT_EVENTS } from "@muster/protocol";
import { eventNumber, type Model } from "./model.js";
import type { Operator } from "./operator.js";
import type { Sink } from "./sink.js";

/** A promise, how many things were looked at for it, and what broke it. */
export interface Verdict {
  promise: string;
  checked: number;
  broken: string[];
}

/** What the server holds of a user at the end. */
interface FoundUser {
  id: string;
  n: unknown;
  visits: unknown;
  segmentIds: ReadonlySet<string>;
}

interface SegmentMoves {
  entered: number;
  left: number;
}

function movesKey(userId: string, segmentId: string): string {
  return `${userId} ${segmentId}`;
}

function segmentOf({ properties }: Record<string, unknown>): string {
  return String((properties as Record<string, unknown> | undefined)?.segment_id);
}

export interface CheckOptions {
  model: Model;
  sink: Sink;
  operator: Pick<Operator, "extract">;
  segmentId: string;
}

/** Compares what the server and the connector hold with what must be true. */
export async function checkPromises({ model, sink, operator, segmentId }: CheckOptions): Promise<Verdict[]> {
  const found = new Map<string, FoundUser>();
  for await (const user of operator.extract("users")) {
    const segments = Array.isArray(user.segment_ids) ? user.segment_ids : [];
    found.set(String(user.external_id), {
      id: String(user.id),
      n: user.traits_n,
      visits: user.traits_visits,
      segmentIds: new Set(segments.map(String)),
    });
  }
  const counts = new Uint8Array(model.events.length);
  const moves = new Map<string, SegmentMoves>();
  for await (const event of operator.extract("events")) {
    const number = eventNumber(String(event.event_id));
    if (number !== undefined) counts[number] = Math.min(255, (counts[number] ?? 0) + 1);
    if (event.event !== SEGMENT_EVENTS.entered && event.event !== SEGMENT_EVENTS.left) continue;
    const key = movesKey(String(event.user_id), segmentOf(event));
    const own = moves.get(key) ?? { entered: 0, left: 0 };
    moves.set(key, own);
    if (event.event === SEGMENT_EVENTS.entered) own.entered += 1;
    else own.left += 1;
  }
  return [
    ...checkEvents(model, counts),
    ...checkValues(model, found),
    ...checkSegment(model, found, moves, segmentId),
    checkMoves(found, moves),
    ...checkDelivery(model, found, sink, segmentId),
  ];
}

function checkEvents({ events }: Model, counts: Uint8Array): Verdict[] {
  const numbers = events.map((_, number) => number);
  const acknowledged = numbers.filter((number) => events[number]);
  return [
    {
      promise: "acknowledged events lost",
      checked: acknowledged.length,
      broken: acknowledged.filter((number) => !counts[number]).map((number) => `event-${number} is not found`),
    },
    {
      promise: "events doubled",
      checked: events.length,
      broken: numbers
        .filter((number) => (counts[number] ?? 0) > 1)
        .map((number) => `event-${number} is found ${counts[number]} times`),
    },
  ];
}

function checkValues({ users }: Model, found: Map<string, FoundUser>): Verdict[] {
  const written = users.filter(({ newest }) => newest.length > 0);
  return [
    {
      promise: "attributes that are not the newest",
      checked: written.length,
      broken: written.flatMap(({ externalId, newest, unknown }) => {
        const n = found.get(externalId)?.n;
        // A write whose outcome is not known may be the newest too.
        if (typeof n === "number" && (newest.some((write) => write.n === n) || unknown.has(n))) return [];
        return [`${externalId}: n is ${String(n)}, and the newest is ${newest.map((write) => write.n).join(" or ")}`];
      }),
    },
    {
      promise: "counters that are wrong",
      checked: users.length,
      broken: users.flatMap(({ externalId, visits }) => {
        const counted = Number(found.get(externalId)?.visits ?? 0);
        if (counted >= visits.acknowledged && counted <= visits.sent) return [];
        const range = `${visits.acknowledged} acknowledged, ${visits.sent} sent`;
        return [`${externalId}: visits is ${counted}; ${range}`];
      }),
    },
  ];
}

function checkSegment(
  { segmentUsers }: Model,
  found: Map<string, FoundUser>,
  moves: ReadonlyMap<string, SegmentMoves>,
  segmentId: string,
): Verdict[] {
  const known = segmentUsers.filter(({ isCrossing }) => !isCrossing);
  const expected = new Map(known.map((user) => [found.get(user.externalId)?.id, user]));
  const unsure = new Set(segmentUsers.filter(({ isCrossing }) => isCrossing).map(({ externalId }) => externalId));
  return [
    {
      promise: "users wrongly in or out of the segment",
      checked: found.size,
      broken: [...found].flatMap(([externalId, { segmentIds }]) => {
        if (unsure.has(externalId)) return [];
        const isMember = segmentIds.has(segmentId);
        const wanted = known.find((user) => user.externalId === externalId)?.isMember ?? false;
        return isMember === wanted ? [] : [`${externalId} is ${isMember ? "in" : "not in"} the segment`];
      }),
    },
    {
      promise: "segment events that are false or missing",
      checked: known.reduce((sum, { entered, left }) => sum + entered + left, 0),
      broken: [...found].flatMap(([externalId, { id }]) => {
        if (unsure.has(externalId)) return [];
        const { entered, left } = moves.get(movesKey(id, segmentId)) ?? { entered: 0, left: 0 };
        const wanted = expected.get(id) ?? { entered: 0, left: 0 };
        if (entered === wanted.entered && left === wanted.left) return [];
        const real = `entered ${wanted.entered} and left ${wanted.left} times`;
        return [`${externalId} ${real}, and the events say ${entered} and ${left}`];
      }),
    },
  ];
}

/** Of all segments, also of those that a case has created: who has entered as often as left is no member. */
function checkMoves(found: Map<string, FoundUser>, moves: ReadonlyMap<string, SegmentMoves>): Verdict {
  const broken: string[] = [];
  let checked = 0;
  for (const { id, segmentIds } of found.values()) {
    for (const segmentId of segmentIds)
      if (!moves.has(movesKey(id, segmentId))) broken.push(`${id} never entered ${segmentId}`);
  }
  const users = new Map([...found.values()].map((user) => [user.id, user]));
  for (const [key, { entered, left }] of moves) {
    const [userId = "", segmentId = ""] = key.split(" ");
    const members = users.get(userId)?.segmentIds.has(segmentId) ? 1 : 0;
    checked += entered + left;
    if (entered - left !== members)
      broken.push(`${userId} entered ${segmentId} ${entered} times and left it ${left} times`);
  }
  return { promise: "memberships that do not follow from the events", checked, broken };
}

function checkDelivery(
  { users, segmentUsers, events }: Model,
  found: Map<string, FoundUser>,
  sink: Sink,
  segmentId: string,
): Verdict[] {
  const acknowledged = [...events.keys()].filter((number) => events[number]);
  const known = segmentUsers.filter(({ isCrossing }) => !isCrossing);
  return [
    {
      promise: "events that the connector was not told",
      checked: acknowledged.length,
      broken: acknowledged.filter((number) => !sink.events.has(number)).map((number) => `event-${number}`),
    },
    {
      promise: "users whose last value the connector was not told",
      checked: users.length,
      broken: users.flatMap(({ externalId }) => {
        const n = found.get(externalId)?.n;
        const told = sink.users.get(externalId)?.n;
        return n === undefined || n === told ? [] : [`${externalId}: n is ${String(n)}, told was ${told}`];
      }),
    },
    { promise: "messages out of order", checked: sink.messages - sink.repeated, broken: sink.disordered },
    {
      promise: "moves that the connector was told wrongly",
      checked: known.reduce((sum, { entered, left }) => sum + entered + left, 0),
      broken: [
        ...sink.falseMoves,
        ...known.flatMap(({ externalId, entered, left, isMember }) => {
          const told = sink.users.get(externalId)?.moves.get(segmentId) ?? { entered: 0, left: 0, isMember: false };
          if (told.entered === entered && told.left === left && told.isMember === isMember) return [];
          return [`${externalId} entered ${entered}, left ${left}; told were ${told.entered} and ${told.left}`];
        }),
      ],
    },
  ];
}
