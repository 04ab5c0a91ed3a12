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
  isMember: boolean;
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
      isMember: segments.includes(segmentId),
    });
  }
  const counts = new Uint8Array(model.events.length);
  const moves = new Map<string, { entered: number; left: number }>();
  for await (const event of operator.extract("events")) {
    const number = eventNumber(String(event.event_id));
    if (number !== undefined) counts[number] = Math.min(255, (counts[number] ?? 0) + 1);
    if (event.event !== SEGMENT_EVENTS.entered && event.event !== SEGMENT_EVENTS.left) continue;
    const own = moves.get(String(event.user_id)) ?? { entered: 0, left: 0 };
    moves.set(String(event.user_id), own);
    if (event.event === SEGMENT_EVENTS.entered) own.entered += 1;
    else own.left += 1;
  }
  return [
    ...checkEvents(model, counts),
    ...checkValues(model, found),
    ...checkSegment(model, found, moves),
    ...checkDelivery(model, found, sink),
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
  moves: ReadonlyMap<string, { entered: number; left: number }>,
): Verdict[] {
  const known = segmentUsers.filter(({ isCrossing }) => !isCrossing);
  const expected = new Map(known.map((user) => [found.get(user.externalId)?.id, user]));
  const unsure = new Set(segmentUsers.filter(({ isCrossing }) => isCrossing).map(({ externalId }) => externalId));
  return [
    {
      promise: "users wrongly in or out of the segment",
      checked: found.size,
      broken: [...found].flatMap(([externalId, { isMember }]) => {
        if (unsure.has(externalId)) return [];
        const wanted = known.find((user) => user.externalId === externalId)?.isMember ?? false;
        return isMember === wanted ? [] : [`${externalId} is ${isMember ? "in" : "not in"} the segment`];
      }),
    },
    {
      promise: "segment events that are false or missing",
      checked: known.reduce((sum, { entered, left }) => sum + entered + left, 0),
      broken: [...found].flatMap(([externalId, { id }]) => {
        if (unsure.has(externalId)) return [];
        const { entered, left } = moves.get(id) ?? { entered: 0, left: 0 };
        const wanted = expected.get(id) ?? { entered: 0, left: 0 };
        if (entered === wanted.entered && left === wanted.left) return [];
        const real = `entered ${wanted.entered} and left ${wanted.left} times`;
        return [`${externalId} ${real}, and the events say ${entered} and ${left}`];
      }),
    },
  ];
}

function checkDelivery({ users, segmentUsers, events }: Model, found: Map<string, FoundUser>, sink: Sink): Verdict[] {
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
          const told = sink.users.get(externalId) ?? { entered: 0, left: 0, isMember: false };
          if (told.entered === entered && told.left === left && told.isMember === isMember) return [];
          return [`${externalId} entered ${entered}, left ${left}; told were ${told.entered} and ${told.left}`];
        }),
      ],
    },
  ];
}
