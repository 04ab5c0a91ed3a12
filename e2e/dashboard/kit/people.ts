/** The demo users of the tests: a function of their number, so that tests can know every count. */

const PLANS = ["free", "trial", "pro", "enterprise"] as const;
const COUNTRIES = ["France", "Germany", "Japan", "Brazil", "Kenya", "Canada", "India"] as const;
const GIVEN_NAMES = ["Maria", "Anna", "Max", "Omar", "Li", "Jose", "Marc", "Ines", "Yuki", "Tom", "Lea", "Ivan", "Zoe"];
const FAMILY_NAMES = ["Silva", "Mori", "Weber", "Okafor", "Durand", "Singh", "Novak", "Kim", "Rossi", "Larsen", "Díaz"];

export interface Person {
  userId: string;
  email: string;
  name: string;
  plan: string;
  country: string;
  mrr: number;
  visits: number;
  is_active: boolean;
  signed_up_at: string;
}

const FIRST_DAY = Date.parse("2025-06-01T00:00:00Z");

/** @example personOf(0).email // "maria.silva.0@example.com" */
export function personOf(n: number): Person {
  const given = GIVEN_NAMES[n % GIVEN_NAMES.length] ?? "";
  const family = FAMILY_NAMES[(n * 7) % FAMILY_NAMES.length] ?? "";
  return {
    userId: `person-${n}`,
    email: `${given}.${family}.${n}@example.com`.toLowerCase().replaceAll("í", "i"),
    name: `${given} ${family}`,
    plan: PLANS[n % PLANS.length] ?? "",
    country: COUNTRIES[(n * 3) % COUNTRIES.length] ?? "",
    mrr: (n * 37) % 1_000,
    visits: n % 100,
    is_active: n % 3 === 0,
    signed_up_at: new Date(FIRST_DAY + (n % 365) * 86_400_000).toISOString(),
  };
}
