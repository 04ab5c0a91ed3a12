import { DAY_MS } from "@muster/protocol";
import { countsOf } from "../company/company.js";
import { orderOf } from "../company/events.js";
import { isoTime } from "../company/iso-time.js";
import { createRandom, type Random } from "../company/random.js";
import { tasteOf, whoIs } from "../company/users.js";
import { JOBS, PAGES, REFERRERS, TEAS } from "../company/words.js";
import type { Saying } from "../gateway.js";

/** Something that happens in the company now. */
export interface Act {
  /** What it is, as a sentence; undefined when it happens all the time. */
  news?: string;
  sayings: Saying[];
  /** Somebody has paid, which the bank reports. */
  payment?: { customer: string; amount: number };
}

export interface ActsOptions {
  seed: number;
  users: number;
  /** Tells the users of one run from those of another. */
  run: string;
}

const WEIGHTS = { visit: 50, order: 25, signUp: 10, trial: 4, planChange: 6, health: 5 };

/** Makes up what happens, one act after the other. */
export class Acts {
  readonly #random: Random;
  readonly #counts: ReturnType<typeof countsOf>;
  readonly #run: string;
  readonly #taken = new Set<string>();
  #made = 0;

  constructor({ seed, users, run }: ActsOptions) {
    this.#random = createRandom(`${seed} live ${run}`);
    this.#counts = countsOf(users);
    this.#run = run;
  }

  next(now: number): Act {
    this.#made += 1;
    const kind = this.#random.weighted(WEIGHTS);
    return this[kind](now);
  }

  visit(at: number): Act {
    const properties = { path: this.#random.pick(PAGES), seconds: this.#random.whole(2, 200) };
    return { sayings: [this.#track(this.#customer(), "Page viewed", properties, at)] };
  }

  order(at: number): Act {
    const user = this.#customer();
    const properties = orderOf(this.#random, this.#random.pick(TEAS), true);
    const attributes = { orders: { operation: "inc", value: 1 }, last_order_at: isoTime(at) };
    return {
      sayings: [this.#track(user, "Order placed", properties, at), { type: "traits", at, user, body: attributes }],
      payment: { customer: user.external_id, amount: Number(properties.total) },
    };
  }

  /** A visitor looks around and signs up: the anonymous visitor is merged into the new user. */
  signUp(at: number): Act {
    const key = `demo-live-${this.#run}-${this.#made}`;
    const browser = { anonymous_id: `${key}-browser` };
    const { email, ...name } = whoIs(this.#random, "mail.example", this.#taken);
    // Names repeat from run to run, addresses do not.
    const user = { external_id: key, email: email.replace("@", `.${this.#run}@`) };
    const attributes = {
      ...name,
      ...tasteOf(this.#random),
      signed_up_at: isoTime(at),
      job_title: this.#random.pick(JOBS),
    };
    return {
      news: `${name.name} signed up.`,
      sayings: [
        this.#track(browser, "Page viewed", { path: "/", seconds: 12 }, at - 2_000),
        {
          type: "traits",
          at,
          user: { ...user, ...browser },
          body: { ...attributes, "web/first_referrer": this.#random.pick(REFERRERS) },
        },
        this.#track(user, "Signed up", {}, at),
      ],
    };
  }

  /** Somebody tries the service for two days, and so enters the segment of trials that end. */
  trial(at: number): Act {
    const user = this.#customer();
    const body = { plan: "trial", trial_ends_at: isoTime(at + 2 * DAY_MS) };
    return { news: `${user.external_id} began a trial of two days.`, sayings: [{ type: "traits", at, user, body }] };
  }

  planChange(at: number): Act {
    const account = this.#account();
    const plan = this.#random.pick(["starter", "office", "enterprise"] as const);
    const body = { plan, is_customer: true, mrr: this.#random.whole(4, 120) * 10, "crm/stage": "won" };
    return {
      news: `${account.external_id} is on the plan ${plan} now.`,
      sayings: [{ type: "traits", at, account, body }],
    };
  }

  /** The health of an account changes, so that it is at risk, or is not any more. */
  health(at: number): Act {
    const account = this.#account();
    const health_score = this.#random.whole(10, 90);
    return {
      news: `The health of ${account.external_id} is ${health_score} now.`,
      sayings: [{ type: "traits", at, account, body: { health_score } }],
    };
  }

  #customer() {
    return { external_id: `demo-user-${this.#random.whole(0, Math.max(0, this.#counts.people - 1))}` };
  }

  #account() {
    return { external_id: `demo-account-${this.#random.whole(0, this.#counts.accounts - 1)}` };
  }

  #track(user: Saying["user"] & object, event: string, properties: Record<string, unknown>, at: number): Saying {
    const event_id = `demo-live-${this.#run}-${this.#made}-${event}`;
    const body = {
      event,
      properties,
      event_id,
      created_at: isoTime(at),
      source: event === "Order placed" ? "shop" : "website",
      ip: null,
    };
    return { type: "track", at, user, body };
  }
}
