/**
 * The attributes of generated users, twenty of them, each a function of the user's number `n` in the SQL of both
 * engines: the same people on both sides, so that the same question must have the same answer.
 */
export interface GeneratedAttribute {
  name: string;
  type: "string" | "numeric" | "boolean" | "date";
  /** An integer expression over `n` that both engines read alike. */
  seed: string;
  /** How the seed becomes the value. */
  value: { words: readonly string[] } | { prefix: string } | "number" | "flag" | "day";
  /** Only users for whom this holds have a value. */
  only?: string;
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
  { name: "plan", type: "string", seed: "n % 4", value: { words: ["free", "starter", "pro", "enterprise"] } },
  {
    name: "country",
    type: "string",
    seed: "(n * 31) % 7",
    value: { words: ["FR", "DE", "US", "JP", "BR", "IN", "GB"] },
  },
  { name: "given_name", type: "string", seed: "(n * 7) % 13", value: { words: FIRST_NAMES } },
  { name: "family_name", type: "string", seed: "(n * 17) % 5000", value: { prefix: "Family " } },
  { name: "title", type: "string", seed: "(n * 3) % 8", value: { words: TITLES } },
  { name: "city", type: "string", seed: "(n * 13) % 200", value: { prefix: "City " } },
  { name: "company", type: "string", seed: "(n * 11) % 5000", value: { prefix: "Company " } },
  { name: "language", type: "string", seed: "(n * 5) % 4", value: { words: ["fr", "de", "en", "ja"] } },
  { name: "channel", type: "string", seed: "(n * 19) % 3", value: { words: ["ads", "search", "friends"] } },
  { name: "browser", type: "string", seed: "(n * 23) % 4", value: { words: ["Firefox", "Chrome", "Safari", "Edge"] } },
  { name: "mrr", type: "numeric", seed: "(n * 7919) % 1000", value: "number" },
  { name: "seats", type: "numeric", seed: "(n * 29) % 50", value: "number" },
  { name: "score", type: "numeric", seed: "(n * 104729) % 10007", value: "number" },
  { name: "logins", type: "numeric", seed: "(n * 37) % 300", value: "number" },
  { name: "nps", type: "numeric", seed: "(n * 41) % 11", value: "number", only: "n % 3 = 0" },
  { name: "tickets", type: "numeric", seed: "(n * 43) % 20", value: "number" },
  { name: "vip", type: "boolean", seed: "(n * 53) % 51", value: "flag" },
  { name: "trial", type: "boolean", seed: "(n * 59) % 3", value: "flag" },
  { name: "last_login_at", type: "date", seed: "(n * 7907) % 1000000", value: "day" },
  { name: "renewal_date", type: "date", seed: "(n * 7901) % 700", value: "day" },
];

/** The start of time of everything generated: dates count seconds from here. */
export const EPOCH_SECONDS = 1_700_000_000;

export const EVENT_NAMES = 20;
export const EVENTS_PER_USER = 10;
export const USERS_PER_ACCOUNT = 20;
/** Events are spread over this many days before now. */
export const EVENT_DAYS = 90;
