import { DAY_MS, MINUTE_MS } from "@muster/protocol";
import type { Plan } from "./accounts.js";
import { isoTime } from "./iso-time.js";
import type { Random } from "./random.js";
import { momentBetween } from "./season.js";
import { PAGES, TEAS, TICKETS } from "./words.js";

/** An event of a user, without the identifiers of the user. */
export interface DemoEvent {
  event: string;
  event_id: string;
  created_at: string;
  source: "website" | "shop";
  properties: Record<string, unknown>;
  session_id?: string;
}

/** How often a user visits. */
export type Engagement = "power" | "regular" | "occasional" | "quiet";

export interface Customer {
  /** Stands in the ids of events and sessions. */
  key: string;
  engagement: Engagement;
  createdAt: number;
  /** The plan of the account; undefined for a user without an account. */
  plan: Plan | undefined;
}

const SESSIONS_A_MONTH: Record<Engagement, number> = { power: 1.5, regular: 0.19, occasional: 0.08, quiet: 0.12 };
const MONTH_MS = 30 * DAY_MS;
/** What is older has not been kept. */
const HISTORY_MS = 365 * DAY_MS;
/** A power user orders about this often in thirty days, for some months. */
const ORDERS_A_MONTH = 4;
const BUSY_DAYS = { from: 45, to: 120 };

/** Everything that a customer has done, in order of time. */
export function eventsOf(random: Random, customer: Customer, now: number): DemoEvent[] {
  const { key, engagement, createdAt, plan } = customer;
  const begin = Math.max(createdAt, now - HISTORY_MS);
  // A user who has gone quiet visited only in the first third of the time.
  const end = engagement === "quiet" ? begin + (now - begin) / 3 : now;
  const months = (end - begin) / MONTH_MS;
  const isNew = createdAt === begin;
  const usual = Math.round(SESSIONS_A_MONTH[engagement] * months * (0.6 + random.fraction() * 0.8));
  const count = isNew ? Math.max(1, usual) : usual;
  const sessions = Array.from({ length: count }, () => ({ at: momentBetween(random, begin, end), orders: false }));
  if (engagement === "power") {
    const days = random.whole(BUSY_DAYS.from, BUSY_DAYS.to);
    // Some have not ended yet, and some have only begun.
    const busyFrom = begin + random.fraction() ** 0.6 * (now - begin);
    const busyTo = Math.min(now, busyFrom + days * DAY_MS);
    const orders = Math.round((ORDERS_A_MONTH * (busyTo - busyFrom)) / MONTH_MS);
    for (let n = 0; n < orders; n++) sessions.push({ at: momentBetween(random, busyFrom, busyTo), orders: true });
  }
  sessions.sort((one, other) => one.at - other.at);
  const signUp: DemoEvent = {
    event: "Signed up",
    event_id: `${key}-sign-up`,
    created_at: isoTime(createdAt),
    source: "website",
    properties: plan === undefined ? {} : { plan: "trial" },
  };
  return [
    ...(isNew ? [signUp] : []),
    ...sessions.flatMap((session, index) => {
      return eventsOfSession(random, { ...session, id: `${key}-session-${index}`, now, plan });
    }),
  ];
}

interface Session {
  id: string;
  at: number;
  /** Whether the session certainly has an order. */
  orders: boolean;
  now: number;
  plan: Plan | undefined;
}

function eventsOfSession(random: Random, { id, at, orders, now, plan }: Session): DemoEvent[] {
  const made: DemoEvent[] = [];
  const add = (event: string, properties: Record<string, unknown>, source: DemoEvent["source"] = "website") => {
    made.push({
      event,
      event_id: `${id}-${made.length}`,
      // A session that begins now has not gone on for long yet.
      created_at: isoTime(Math.min(now, at + made.length * random.whole(1, 6) * MINUTE_MS)),
      source,
      session_id: id,
      properties,
    });
  };
  add("Page viewed", { path: random.pick(PAGES), seconds: random.whole(3, 240) });
  const buys = plan !== undefined && plan !== "cancelled";
  if (orders || random.chance(buys ? 0.4 : 0.12)) {
    const tea = random.pick(TEAS);
    if (random.chance(0.4)) add("Added to cart", { tea, price: random.whole(30, 90) / 10 });
    add("Order placed", orderOf(random, tea, buys), "shop");
    return made;
  }
  const other = random.fraction();
  if (other < 0.06) add("Support asked", { topic: random.pick(TICKETS) });
  else if (other < 0.12) add("Review written", { tea: random.pick(TEAS), stars: random.whole(2, 5) });
  return made;
}

/** The properties of an order: offices buy more than others. */
export function orderOf(random: Random, tea: string, isOffice: boolean): Record<string, unknown> {
  const boxes = random.whole(1, isOffice ? 12 : 2);
  return { total: boxes * random.whole(9, 18), boxes, teas: [tea], is_gift: random.chance(0.1) };
}
