import { signToken } from "@muster/protocol";
import { COUNTRIES, LOAD_EVENTS, PLANS } from "./words.js";

/** The mix is 60 % traits, 35 % track, 5 % alias and links to accounts, over a fixed set of users. */
export interface RecordMixOptions {
  connectorId: string;
  secret: string;
  users: number;
}

/** Makes batches as text at little cost, so that the measurement is about the server and not about the sender. */
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
    const user = userOf(count, this.#options.users);
    switch (kindOf(count)) {
      case "traits":
        return this.#print("traits", this.#userToken(user), traitsOf(user, count));
      case "track":
        return this.#print("track", this.#userToken(user), trackOf(count));
      case "alias":
        return this.#print("alias", this.#userToken(user), `{"anonymous_id":"anon-${user}-${count % 3}"}`);
      case "link":
        return this.#print("traits", this.#linkToken(user), "{}");
    }
  }

  #print(type: string, token: string, body: string): string {
    return `{"type":"${type}","timestamp":"${new Date().toISOString()}","headers":{"Svc-Access-Token":"${token}"},"body":${body}}`;
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

/** What the record of a number says. */
export function kindOf(count: number): "traits" | "track" | "alias" | "link" {
  const share = count % 100;
  return share < 60 ? "traits" : share < 95 ? "track" : share < 98 ? "alias" : "link";
}

/** Whom it is about. The multiplier has no divisor in common with the number of users, so all occur, in a scattered order. */
export function userOf(count: number, users: number): number {
  return (count * 7_919) % users;
}

/** The attributes that a record sets, as JSON. */
export function traitsOf(user: number, count: number): string {
  const plan = PLANS[(user + count) % PLANS.length];
  const country = COUNTRIES[user % COUNTRIES.length];
  return `{"first_name":"User ${user}","plan":"${plan}","mrr":${count % 500},"country":"${country}","seats":${user % 50},"trial":${count % 2 === 0},"last_login_at":"${new Date(1_700_000_000_000 + count * 1_000).toISOString()}"}`;
}

/** The event of a record, as JSON. */
export function trackOf(count: number): string {
  const event = LOAD_EVENTS[count % LOAD_EVENTS.length];
  return `{"event":"${event}","properties":{"path":"/p/${count % 200}","amount":${count % 1_000},"label":"value ${count % 37}"},"ip":"0","url":"https://app.example.com/p/${count % 200}"}`;
}
