import { signToken } from "@muster/protocol";

/** What the mix is made of: 60 % traits, 35 % track, 5 % alias and link, over a fixed set of users. */
export interface RecordMixOptions {
  connectorId: string;
  secret: string;
  users: number;
}

const PLANS = ["free", "starter", "pro", "enterprise"];
const COUNTRIES = ["FR", "DE", "US", "JP", "BR", "IN", "GB"];
const EVENTS = ["Page viewed", "Signed in", "Added to cart", "Invoice paid", "Feature used", "Report exported"];

/** Makes batches as text, cheaply: the load must come from the server, not from whoever measures it. */
export class RecordMix {
  readonly #options: RecordMixOptions;
  readonly #tokens = new Map<string, string>();
  #count = 0;

  constructor(options: RecordMixOptions) {
    this.#options = options;
  }

  batch(size: number): string {
    const entries = Array.from({ length: size }, () => this.#entry());
    const now = new Date().toISOString();
    return `{"timestamp":"${now}","sentAt":"${now}","batch":[${entries.join(",")}]}`;
  }

  #entry(): string {
    const count = this.#count++;
    // A multiplier prime to the number of users visits all of them in a scattered order.
    const user = (count * 7_919) % this.#options.users;
    const share = count % 100;
    const time = new Date().toISOString();
    if (share < 60) return this.#print("traits", this.#userToken(user), time, traitsOf(user, count));
    if (share < 95) return this.#print("track", this.#userToken(user), time, trackOf(count));
    if (share < 98) {
      return this.#print("alias", this.#userToken(user), time, `{"anonymous_id":"anon-${user}-${count % 3}"}`);
    }
    return this.#print("traits", this.#linkToken(user), time, "{}");
  }

  #print(type: string, token: string, time: string, body: string): string {
    return `{"type":"${type}","timestamp":"${time}","headers":{"Svc-Access-Token":"${token}"},"body":${body}}`;
  }

  #userToken(user: number): string {
    return this.#token(`u${user}`, {
      "io.svc.asUser": { external_id: `user-${user}`, email: `user-${user}@example.com` },
    });
  }

  #linkToken(user: number): string {
    return this.#token(`l${user}`, {
      "io.svc.asUser": { external_id: `user-${user}` },
      "io.svc.asAccount": { domain: `company-${user % 5_000}.example` },
    });
  }

  #token(key: string, claims: Record<string, unknown>): string {
    const known = this.#tokens.get(key);
    if (known) return known;
    const { connectorId, secret } = this.#options;
    const issued = { iss: connectorId, iat: Math.floor(Date.now() / 1_000), "io.svc.subjectType": "user" };
    const token = signToken({ ...issued, ...claims }, secret);
    this.#tokens.set(key, token);
    return token;
  }
}

/** The attributes that a record sets, as JSON. */
export function traitsOf(user: number, count: number): string {
  const plan = PLANS[(user + count) % PLANS.length];
  const country = COUNTRIES[user % COUNTRIES.length];
  return `{"first_name":"User ${user}","plan":"${plan}","mrr":${count % 500},"country":"${country}","seats":${user % 50},"trial":${count % 2 === 0},"last_login_at":"${new Date(1_700_000_000_000 + count * 1_000).toISOString()}"}`;
}

/** What a record says that happened, as JSON. */
export function trackOf(count: number): string {
  const event = EVENTS[count % EVENTS.length];
  return `{"event":"${event}","properties":{"path":"/p/${count % 200}","amount":${count % 1_000},"label":"value ${count % 37}"},"ip":"0","url":"https://app.example.com/p/${count % 200}"}`;
}
