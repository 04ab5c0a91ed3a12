import { DAY_MS, HOUR_MS, type UserClaims } from "@muster/protocol";
import type { DemoAccount, Moment } from "./accounts.js";
import { orderOf } from "./events.js";
import { isoTime } from "./iso-time.js";
import { createRandom } from "./random.js";
import { momentBetween } from "./season.js";
import { tasteOf, whoIs } from "./users.js";
import { JOBS, REFERRERS, TEAS } from "./words.js";

/** One thing that was said about a user at some time. */
export interface StoryEntry {
  type: "traits" | "track";
  at: number;
  user: UserClaims;
  account?: { external_id: string };
  body: Record<string, unknown>;
}

/** A user that Muster first knew as three: a laptop, a phone and an e-mail address. */
export interface Story {
  begin: number;
  externalId: string;
  email: string;
  anonymousIds: string[];
  entries: StoryEntry[];
}

/**
 * The entries of all stories, in parts that must be applied one after the other. Muster stores the changes of one part
 * as one change, so a single part would have no history.
 */
export function inChapters(stories: readonly Story[]): StoryEntry[][] {
  return [...PLANS.keys()].map((index) =>
    stories.flatMap(({ begin, entries }) => {
      const from = index === 0 ? 0 : begin + PLANS[index]![1] * DAY_MS;
      const to = index + 1 === PLANS.length ? Number.POSITIVE_INFINITY : begin + PLANS[index + 1]![1] * DAY_MS;
      return entries.filter(({ at }) => at >= from && at < to);
    }),
  );
}

/** The plans that such a user has had, and after how many days each began. */
const PLANS = [
  ["trial", 6],
  ["starter", 20],
  ["office", 75],
] as const;

/**
 * The story with a number: visits without a name, an address that was left at a fair, a sign-up that joins the two, and a
 * sign-in on the phone that brings the third. Then plans and orders, each at its time.
 */
export function createStory(
  n: number,
  { seed, now }: Moment,
  accounts: readonly DemoAccount[],
  taken: Set<string>,
): Story {
  const random = createRandom(`${seed} story ${n}`);
  const customers = accounts.filter((account) => account.is_customer);
  const account = random.pick(customers.length > 0 ? customers : accounts);
  const begin = momentBetween(random, now - 300 * DAY_MS, now - 100 * DAY_MS);
  const key = `demo-story-${n}`;
  const [laptop, phone] = [`${key}-laptop`, `${key}-phone`];
  const { email, ...name } = whoIs(random, account.domain, taken);
  const known = { external_id: key, email };
  const entries: StoryEntry[] = [];
  const add = (days: number, type: StoryEntry["type"], user: UserClaims, body: StoryEntry["body"]) =>
    entries.push({
      type,
      at: begin + days * DAY_MS,
      user,
      body,
      ...("external_id" in user ? { account: { external_id: account.external_id } } : {}),
    });
  const track = (days: number, user: UserClaims, event: string, properties: Record<string, unknown>) =>
    add(days, "track", user, {
      event,
      properties,
      event_id: `${key}-${entries.length}`,
      created_at: isoTime(begin + days * DAY_MS),
      session_id: `${key}-session-${Math.floor(days)}`,
      source: event === "Order placed" ? "shop" : "website",
      ip: null,
    });
  const hour = HOUR_MS / DAY_MS;

  track(0, { anonymous_id: laptop }, "Page viewed", { path: "/", seconds: 40 });
  track(hour / 6, { anonymous_id: laptop }, "Page viewed", { path: "/offices", seconds: 95 });
  track(2, { anonymous_id: phone }, "Page viewed", { path: "/blog/brewing", seconds: 180 });
  add(4, "traits", { email }, { ...name, "web/first_referrer": "fair", newsletter: true });
  add(
    6,
    "traits",
    { ...known, anonymous_id: laptop },
    { ...tasteOf(random), newsletter: true, job_title: random.pick(JOBS), signed_up_at: isoTime(begin + 6 * DAY_MS) },
  );
  track(6 + hour / 30, known, "Signed up", { plan: "trial", referrer: random.pick(REFERRERS) });
  for (const [plan, days] of PLANS) add(days, "traits", known, { plan });
  track(9, { external_id: key, anonymous_id: phone }, "Page viewed", { path: "/teas", seconds: 61 });
  const orders = random.whole(4, 9);
  const length = (now - begin) / DAY_MS;
  for (let order = 1; order <= orders; order++) {
    const days = 20 + ((length - 21) * order) / orders;
    track(days, known, "Order placed", orderOf(random, random.pick(TEAS), true));
    add(days, "traits", known, {
      orders: order,
      last_order_at: isoTime(begin + days * DAY_MS),
      lead_score: Math.min(100, 20 + order * 8),
    });
  }
  entries.sort((one, other) => one.at - other.at);
  return { begin, externalId: key, email, anonymousIds: [laptop, phone], entries };
}
