import { Client } from "@muster/client";
import type { Credentials } from "../../support/credentials.js";
import { personOf } from "../kit/people.js";

const USERS = 4_000;
const ACCOUNTS = 180;
const DAY_MS = 86_400_000;
const INDUSTRIES = ["Software", "Retail", "Logistics", "Health", "Finance", "Media"] as const;
const EVENTS = ["Page viewed", "Signed in", "Project created", "Report exported", "Invited a colleague", "Upgraded"];

/** Fills a server with a small company: accounts, users, events of the last ninety days, one refused record. */
export async function seedCompany(url: string, credentials: Credentials, now: number): Promise<void> {
  const fraction = createFractions(1);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(fraction() * items.length)] as Item;
  const client = new Client({
    ...credentials,
    organization: new URL(url).host,
    protocol: "http",
    firehoseUrl: `${url}/firehose`,
    logLevel: "error",
  });
  const sent: Promise<unknown>[] = [];
  for (let n = 0; n < ACCOUNTS; n++) {
    const account = client.asAccount({ domain: `company-${n}.example` });
    sent.push(account.traits({ name: `Company ${n}`, industry: pick(INDUSTRIES), employees: 5 + ((n * 97) % 4_000) }));
  }
  for (let n = 0; n < USERS; n++) {
    const { userId, email, signed_up_at, ...attributes } = personOf(n);
    const user = client.asUser({ external_id: userId, email });
    const linked = n % 3 === 0 ? user : user.account({ domain: `company-${n % ACCOUNTS}.example` });
    sent.push(
      linked.traits({
        ...attributes,
        signed_up_at,
        "crm/owner": pick(["Ada", "Grace", "Linus"]),
        "crm/score": Math.floor(fraction() * 100),
        ...(n % 5 === 0 ? { last_visit_at: new Date(now - fraction() * 30 * DAY_MS).toISOString() } : {}),
      }),
    );
    for (let times = n % 4; times > 0; times--) {
      const at = new Date(now - fraction() ** 2 * 90 * DAY_MS).toISOString();
      const properties = { path: pick(["/", "/pricing", "/docs"]), seconds: Math.floor(fraction() * 300) };
      sent.push(user.track(pick(EVENTS), properties, { created_at: at, source: "website" }));
    }
  }
  await Promise.all(sent);
}

/** Numbers between 0 and 1 that are the same every time, so that pictures change only with the screens (mulberry32). */
function createFractions(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
