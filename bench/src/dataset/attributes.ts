import { COUNTRIES, PLANS } from "./words.js";

/**
 * One of the twenty attributes of generated users: a function of the user's number `n`. It is data, from which both values
 * and SQL are made. So both engines contain the same users, and the same question must have the same answer.
 */
export interface GeneratedAttribute {
  name: string;
  type: "string" | "numeric" | "boolean" | "date";
  /** The seed of a value is `(n * multiplier) % modulus`. */
  multiplier: number;
  modulus: number;
  /** How the seed becomes the value. */
  value: { words: readonly string[] } | { prefix: string } | "number" | "flag" | "day";
  /** One user in this many has a value. */
  every?: number;
}

const FIRST_NAMES = ["Maria", "Anna", "Max", "Omar", "Li", "Jose", "Marc", "Ines", "Yuki", "Tom", "Lea", "Ivan", "Zoe"];
const TITLES = [
  "Software Engineer",
  "Account Manager",
  "Head of Sales",
  "Data Engineer",
  "Designer",
  "Chief of Staff",
  "Product Manager",
  "Support Agent",
];

export const ATTRIBUTES: readonly GeneratedAttribute[] = [
  {
    name: "plan",
    type: "string",
    multiplier: 1,
    modulus: 4,
    value: { words: PLANS },
  },
  {
    name: "country",
    type: "string",
    multiplier: 31,
    modulus: 7,
    value: { words: COUNTRIES },
  },
  { name: "given_name", type: "string", multiplier: 7, modulus: 13, value: { words: FIRST_NAMES } },
  { name: "family_name", type: "string", multiplier: 17, modulus: 5000, value: { prefix: "Family " } },
  { name: "title", type: "string", multiplier: 3, modulus: 8, value: { words: TITLES } },
  { name: "city", type: "string", multiplier: 13, modulus: 200, value: { prefix: "City " } },
  { name: "company", type: "string", multiplier: 11, modulus: 5000, value: { prefix: "Company " } },
  { name: "language", type: "string", multiplier: 5, modulus: 4, value: { words: ["fr", "de", "en", "ja"] } },
  { name: "channel", type: "string", multiplier: 19, modulus: 3, value: { words: ["ads", "search", "friends"] } },
  {
    name: "browser",
    type: "string",
    multiplier: 23,
    modulus: 4,
    value: { words: ["Firefox", "Chrome", "Safari", "Edge"] },
  },
  { name: "mrr", type: "numeric", multiplier: 7919, modulus: 1000, value: "number" },
  { name: "seats", type: "numeric", multiplier: 29, modulus: 50, value: "number" },
  { name: "score", type: "numeric", multiplier: 104729, modulus: 10007, value: "number" },
  { name: "logins", type: "numeric", multiplier: 37, modulus: 300, value: "number" },
  { name: "nps", type: "numeric", multiplier: 41, modulus: 11, value: "number", every: 3 },
  { name: "tickets", type: "numeric", multiplier: 43, modulus: 20, value: "number" },
  { name: "vip", type: "boolean", multiplier: 53, modulus: 51, value: "flag" },
  { name: "trial", type: "boolean", multiplier: 59, modulus: 3, value: "flag" },
  { name: "last_login_at", type: "date", multiplier: 7907, modulus: 1000000, value: "day" },
  { name: "renewal_date", type: "date", multiplier: 7901, modulus: 700, value: "day" },
];

/** The value of user `n`; undefined when the user has none. */
export function generateValue({ multiplier, modulus, value, every = 1 }: GeneratedAttribute, n: number) {
  if (n % every !== 0) return undefined;
  const seed = (n * multiplier) % modulus;
  if (value === "number") return seed;
  if (value === "flag") return seed === 0;
  if (value === "day") return new Date((EPOCH_SECONDS + seed * 60) * 1_000).toISOString();
  return "prefix" in value ? `${value.prefix}${seed}` : value.words[seed];
}

/** The same as an expression of PostgreSQL over `n`, with dates in seconds. */
export function generateSql({ multiplier, modulus, value, every = 1 }: GeneratedAttribute): string {
  const seed = `(n * ${multiplier}) % ${modulus}`;
  const sql = () => {
    if (value === "number") return seed;
    if (value === "flag") return `${seed} = 0`;
    if (value === "day") return `${EPOCH_SECONDS} + ${seed} * 60`;
    return "prefix" in value ? `'${value.prefix}' || ${seed}` : `(array['${value.words.join("', '")}'])[${seed} + 1]`;
  };
  return every === 1 ? sql() : `case when n % ${every} = 0 then ${sql()} end`;
}

/** Generated dates count seconds from here. */
export const EPOCH_SECONDS = 1_700_000_000;

/**
 * The name of event `m` has the number `(r * r) % EVENT_PRIME % EVENT_NAMES`, where `r` is `m % EVENT_PRIME`. With a plain
 * remainder instead of the square, no user would have the same event twice within the days that questions ask about.
 */
export const EVENT_NAMES = 20;
export const EVENT_PRIME = 10_007;
export const EVENTS_PER_USER = 10;
export const USERS_PER_ACCOUNT = 20;

/** A tenth of the users have a lower `mrr`. They are the members of the segment that searches ask for. */
export const MEMBERS_BELOW_MRR = 100;

/** Event `m` is of user `(m * EVENT_USER_PACE) % users`. */
export const EVENT_USER_PACE = 7_919;

/** Event `m` is `(m * EVENT_PACE) % EVENT_SECONDS` seconds old: at most 90 days. */
export const EVENT_PACE = 104_729;
export const EVENT_SECONDS = 90 * 86_400;
