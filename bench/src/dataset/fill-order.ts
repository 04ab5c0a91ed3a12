import { eventCount } from "./generate.js";

/** What to write into the question engine of a server that does not run. */
export interface FillOrder {
  dataDir: string;
  org: string;
  /** What the server expects the engine to hold. */
  generation: string;
  users: number;
  /** The segment that a tenth of the users are in. */
  segmentId: string;
  /** Seconds. */
  now: number;
  hasEvents: boolean;
}

export const EVENTS_PER_STEP = 10_240;
export const USERS_PER_STEP = 4_096;
/** One user in so many is written a second time, so that rows have been replaced, as in a table that is written to. */
export const REWRITTEN_EVERY = 50;
export const MEMBER_EVERY = 10;

/** How many there are of each thing that is written by changes. */
export function amountsOf({ users, hasEvents }: Pick<FillOrder, "users" | "hasEvents">) {
  return {
    events: hasEvents ? eventCount(users) : 0,
    rewritten: Math.ceil(users / REWRITTEN_EVERY),
    members: Math.ceil(users / MEMBER_EVERY),
  };
}

/** The sequence of the last change: where PostgreSQL must stand for the server to find nothing missing. */
export function lastSequence(order: Pick<FillOrder, "users" | "hasEvents">): number {
  const { events, rewritten, members } = amountsOf(order);
  const steps = (amount: number, size: number) => Math.ceil(amount / size);
  return steps(events, EVENTS_PER_STEP) + steps(rewritten, USERS_PER_STEP) + steps(members, USERS_PER_STEP);
}
