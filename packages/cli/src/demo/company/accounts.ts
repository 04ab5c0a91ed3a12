import { DAY_MS } from "@muster/protocol";
import { isoTime } from "./iso-time.js";
import { createRandom, type Random } from "./random.js";
import { momentBetween } from "./season.js";
import { CITIES, COMPANY_FIRST, COMPANY_SECOND, INDUSTRIES, SALES, TEAS } from "./words.js";

/** What an account pays, if it does. */
export type Plan = "trial" | "starter" | "office" | "enterprise" | "cancelled";

/** A customer of the company, or a prospect. Attributes are side by side with the identifiers. */
export interface DemoAccount {
  external_id: string;
  domain: string;
  name: string;
  created_at: string;
  industry: string;
  employees: number;
  plan: Plan;
  is_customer: boolean;
  seats: number;
  mrr: number;
  health_score: number;
  teas: string[];
  billing: { city: string; country: string; currency: string };
  trial_ends_at?: string;
  renewal_date?: string;
  "crm/owner": string;
  "crm/stage": string;
  "crm/last_call_at"?: string;
}

export const TRIAL_DAYS = 14;
const YEAR_DAYS = 365;
const COMPANY_AGE_DAYS = 3 * YEAR_DAYS;
const PRICES: Record<Plan, number> = { trial: 0, starter: 6, office: 9, enterprise: 14, cancelled: 0 };
const STAGES: Record<Plan, string> = {
  trial: "evaluation",
  starter: "won",
  office: "won",
  enterprise: "won",
  cancelled: "lost",
};

export interface Moment {
  seed: number;
  /** The time that "now" is in the history of the company. */
  now: number;
}

/** The account with a number. Each account depends on nothing but the seed, its number and the present time. */
export function createAccount(n: number, { seed, now }: Moment): DemoAccount {
  const random = createRandom(`${seed} account ${n}`);
  const createdAt = createdTime(n, random, now);
  const ageDays = (now - createdAt) / DAY_MS;
  const later = random.weighted({ starter: 45, office: 33, enterprise: 10, cancelled: 12 });
  const plan: Plan = ageDays < TRIAL_DAYS ? "trial" : later;
  const employees = Math.round(4 + random.fraction() ** 4 * 2_000);
  const seats = Math.max(2, Math.min(150, Math.round(employees * (0.1 + random.fraction() * 0.4))));
  const { city, country } = random.pick(CITIES);
  const isCustomer = PRICES[plan] > 0;
  const name = companyName(n);
  return {
    external_id: `demo-account-${n}`,
    domain: `${name.toLowerCase().replaceAll(" ", "-")}.example`,
    name,
    created_at: isoTime(createdAt),
    industry: random.pick(INDUSTRIES),
    employees,
    plan,
    is_customer: isCustomer,
    seats,
    mrr: PRICES[plan] * seats,
    health_score: random.chance(0.15) ? random.whole(5, 39) : random.whole(40, 100),
    teas: random.some(TEAS, random.whole(1, 4)),
    billing: { city, country, currency: country === "United Kingdom" ? "GBP" : "EUR" },
    "crm/owner": random.pick(SALES),
    "crm/stage": STAGES[plan],
    ...(random.chance(0.5)
      ? { "crm/last_call_at": isoTime(now - random.fraction() * Math.min(ageDays, 60) * DAY_MS) }
      : {}),
    ...(plan === "trial" ? { trial_ends_at: isoTime(createdAt + TRIAL_DAYS * DAY_MS) } : {}),
    ...(isCustomer ? { renewal_date: isoTime(nextRenewal(createdAt, now)) } : {}),
  };
}

/** Most accounts came in the years before. A few are in their trial, and some of these are at its end. */
function createdTime(n: number, random: Random, now: number): number {
  const daysAgo = (days: number) => now - days * DAY_MS;
  if (n % 160 === 3) return momentBetween(random, daysAgo(TRIAL_DAYS - 0.5), daysAgo(TRIAL_DAYS - 2.5));
  if (n % 80 === 23) return momentBetween(random, daysAgo(TRIAL_DAYS - 3), now);
  return momentBetween(random, daysAgo(COMPANY_AGE_DAYS), daysAgo(TRIAL_DAYS), 1.6);
}

/** When the next year of a contract begins. */
function nextRenewal(createdAt: number, now: number): number {
  const years = Math.ceil((now - createdAt) / (YEAR_DAYS * DAY_MS));
  return createdAt + years * YEAR_DAYS * DAY_MS;
}

function companyName(n: number): string {
  const pairs = COMPANY_FIRST.length * COMPANY_SECOND.length;
  // 389 has no common divisor with the number of pairs, so all of them come up before one repeats.
  const pair = (n * 389) % pairs;
  const first = COMPANY_FIRST[pair % COMPANY_FIRST.length];
  const second = COMPANY_SECOND[Math.floor(pair / COMPANY_FIRST.length)];
  const again = Math.floor(n / pairs);
  return again === 0 ? `${first} ${second}` : `${first} ${second} ${again + 1}`;
}
