import { DAY_MS } from "@muster/protocol";
import { type DemoAccount, type Moment, TRIAL_DAYS } from "./accounts.js";
import { type DemoEvent, type Engagement, eventsOf } from "./events.js";
import { isoTime } from "./iso-time.js";
import { createRandom, type Random } from "./random.js";
import { momentBetween } from "./season.js";
import { CITIES, FIRST_NAMES, JOBS, LAST_NAMES, PAGES, REFERRERS, SALES, TEAS } from "./words.js";

/** A user as an import takes it: identifiers and attributes side by side. */
export interface DemoUser {
  external_id?: string;
  email?: string;
  anonymous_ids?: string[];
  account?: { external_id: string };
  created_at: string;
  [attribute: string]: unknown;
}

export interface Person {
  user: DemoUser;
  events: DemoEvent[];
}

const ENGAGEMENTS: Record<Engagement, number> = { power: 3, regular: 35, occasional: 42, quiet: 20 };
/** So many of an account's users sign up while it is on trial. */
const EARLY = 0.35;
/** The others came by themselves, to buy a present or to read. */
const WITH_ACCOUNT = 0.85;

/** The person with a number: a user who has signed up, with an e-mail address. `taken` has the addresses so far. */
export function createPerson(n: number, moment: Moment, accounts: readonly DemoAccount[], taken: Set<string>): Person {
  const { seed, now } = moment;
  const random = createRandom(`${seed} person ${n}`);
  const account = random.chance(WITH_ACCOUNT) ? pickAccount(random, accounts) : undefined;
  const since = account ? Date.parse(account.created_at) : now - 2 * 365 * DAY_MS;
  const isEarly = random.chance(EARLY);
  const createdAt = momentBetween(random, since, isEarly ? Math.min(now, since + TRIAL_DAYS * DAY_MS) : now);
  const engagement = random.weighted(ENGAGEMENTS);
  const key = `demo-user-${n}`;
  const events = eventsOf(random, { key, engagement, createdAt, plan: account?.plan }, now);
  const orders = events.filter(({ event }) => event === "Order placed");
  const lastOrder = orders.at(-1);
  return {
    events,
    user: {
      external_id: key,
      ...whoIs(random, account?.domain ?? "mail.example", taken),
      ...(random.chance(0.6) ? { anonymous_ids: [`demo-browser-${n}`] } : {}),
      ...(account ? { account: { external_id: account.external_id } } : {}),
      created_at: isoTime(createdAt),
      signed_up_at: isoTime(createdAt),
      ...tasteOf(random),
      ...(account ? { job_title: random.pick(JOBS), plan: account.plan } : {}),
      ...(account?.trial_ends_at ? { trial_ends_at: account.trial_ends_at } : {}),
      orders: orders.length,
      ...(lastOrder ? { last_order_at: lastOrder.created_at } : {}),
      lead_score: Math.min(100, random.whole(0, 40) + orders.length * 6),
      "crm/owner": account?.["crm/owner"] ?? random.pick(SALES),
      "crm/score": random.whole(0, 100),
      "web/first_referrer": random.pick(REFERRERS),
    },
  };
}

/** The visitor with a number: an anonymous browser. */
export function createVisitor(n: number, { seed, now }: Moment): Person {
  const random = createRandom(`${seed} visitor ${n}`);
  const key = `demo-visitor-${n}`;
  const at = momentBetween(random, now - 120 * DAY_MS, now, 1.7);
  const events = Array.from({ length: random.whole(1, 2) }, (_, index) => ({
    event: "Page viewed",
    event_id: `${key}-${index}`,
    created_at: isoTime(Math.min(now, at + index * 90_000)),
    source: "website" as const,
    session_id: `${key}-session`,
    properties: { path: random.pick(PAGES), seconds: random.whole(2, 90) },
  }));
  const { country } = random.pick(CITIES);
  return {
    events,
    user: { anonymous_ids: [key], created_at: isoTime(at), country, "web/first_referrer": random.pick(REFERRERS) },
  };
}

/** Name and address. */
export function whoIs(random: Random, domain: string, taken: Set<string>) {
  const [first, last] = [random.pick(FIRST_NAMES), random.pick(LAST_NAMES)];
  return {
    email: freeAddress(first, last, domain, taken),
    name: `${first} ${last}`,
    first_name: first,
    last_name: last,
  };
}

/** What somebody likes, and how to reach them. It has a value of every type that attributes have. */
export function tasteOf(random: Random) {
  const { city, country, language } = random.pick(CITIES);
  return {
    country,
    city,
    language,
    newsletter: random.chance(0.45),
    interests: random.some(TEAS, random.whole(1, 3)),
    preferences: { strength: random.pick(["light", "medium", "strong"]), milk: random.chance(0.4) },
  };
}

/** A few accounts have many users, and most have few. */
function pickAccount(random: Random, accounts: readonly DemoAccount[]): DemoAccount {
  return accounts[Math.floor(accounts.length * random.fraction() ** 1.6)]!;
}

function freeAddress(first: string, last: string, domain: string, taken: Set<string>): string {
  const name = plainLetters(`${first}.${last}`.toLowerCase());
  for (let n = 1; ; n++) {
    const address = `${name}${n === 1 ? "" : n}@${domain}`;
    if (taken.has(address)) continue;
    taken.add(address);
    return address;
  }
}

function plainLetters(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{Diacritic}/gu, "");
}
