import { eventCount } from "./generate.js";

/** An order to fill the question engine of a server that does not run. */
export interface FillOrder {
  dataDir: string;
  org: string;
  /** The generation that the server expects. */
  generation: string;
  users: number;
  /** The segment that a tenth of the users are in. */
  segmentId: string;
  /** The current time, in unix seconds. */
  now: number;
  hasEvents: boolean;
}

export const EVENTS_PER_STEP = 10_240;
export const USERS_PER_STEP = 4_096;
/** One user in this many is written a second time, so that the table has replaced rows, as in use. */
export const REWRITTEN_EVERY = 50;
/** One user in this many is in the segment. */
export const MEMBER_EVERY = 10;

/** The numbers of events, of users written again, and of members. */
export function amountsOf({ users, hasEvents }: Pick<FillOrder, "users" | "hasEvents">) {
  return {
    events: hasEvents ? eventCount(users) : 0,
    rewritten: Math.ceil(users / REWRITTEN_EVERY),
    members: Math.ceil(users / MEMBER_EVERY),
  };
}

/** The sequence of the last change. PostgreSQL must have the same, or the server would find the engine incomplete. */
export function lastSequence(order: Pick<FillOrder, "users" | "hasEvents">): number {
  const { events, rewritten, members } = amountsOf(order);
  const steps = (amount: number, size: number) => Math.ceil(amount / size);
  return steps(events, EVENTS_PER_STEP) + steps(rewritten, USERS_PER_STEP) + steps(members, USERS_PER_STEP);
}
