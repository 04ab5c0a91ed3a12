import type { OffsetRange } from "./clock.js";

/** A write of the attribute `n`, and the record times that the server may have given it. */
interface Write {
  n: number;
  earliest: number;
  latest: number;
}

export interface UserModel {
  externalId: string;
  /** The last number that was sent. */
  lastN: number;
  /** The acknowledged writes that may be the newest by record time. */
  newest: Write[];
  /** Numbers that were sent and not acknowledged. */
  unknown: Set<number>;
  /** What all acknowledged increments of `visits` add up to, and all increments that were sent. */
  visits: { acknowledged: number; sent: number };
}

/** A user who goes in and out of the segment. */
export interface SegmentUserModel {
  externalId: string;
  isMember: boolean;
  entered: number;
  left: number;
  /** Whether a crossing was sent whose outcome is not known. */
  isCrossing: boolean;
}

/** Knows what must be true in the server, from what was sent and acknowledged. */
export class Model {
  readonly users: UserModel[];
  readonly segmentUsers: SegmentUserModel[];
  /** For each event, by its number: whether it was acknowledged. */
  readonly events: boolean[] = [];

  constructor({ users, segmentUsers }: { users: number; segmentUsers: number }) {
    this.users = Array.from({ length: users }, (_, index) => ({
      externalId: `user-${index}`,
      lastN: 0,
      newest: [],
      unknown: new Set(),
      visits: { acknowledged: 0, sent: 0 },
    }));
    this.segmentUsers = Array.from({ length: segmentUsers }, (_, index) => ({
      externalId: `member-${index}`,
      isMember: false,
      entered: 0,
      left: 0,
      isCrossing: false,
    }));
  }

  /** Gives the next number to a user's record. */
  newNumber(user: UserModel): number {
    user.lastN += 1;
    user.unknown.add(user.lastN);
    return user.lastN;
  }

  /** Numbers a new event. */
  newEvent(): number {
    return this.events.push(false) - 1;
  }

  acknowledgeEvent(number: number): void {
    this.events[number] = true;
  }

  /**
   * Notes that a write of `n` was acknowledged. Its record time is between the given times by the true clock, moved by
   * an offset of the server's clock that may have held meanwhile.
   */
  acknowledgeN(user: UserModel, n: number, from: number, to: number, { least, most }: OffsetRange): void {
    user.unknown.delete(n);
    const write = { n, earliest: from + least, latest: to + most };
    const writes = [...user.newest, write];
    const surely = Math.max(...writes.map(({ earliest }) => earliest));
    user.newest = writes.filter(({ latest }) => latest >= surely);
  }

  /** Notes that a user crossed the border of the segment, and that the crossing was evaluated. */
  cross(user: SegmentUserModel): void {
    user.isCrossing = false;
    user.isMember = !user.isMember;
    if (user.isMember) user.entered += 1;
    else user.left += 1;
  }
}

export function eventId(number: number): string {
  return `event-${number}`;
}

/** The number of an event of the load; undefined for other events. */
export function eventNumber(id: string): number | undefined {
  const found = /^event-(\d+)$/.exec(id)?.[1];
  return found === undefined ? undefined : Number(found);
}
