// @module-tag long
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { sized } from "../../../../../testing/test-length.js";
import type { Database } from "../../storage/postgres/database.js";
import { findAll } from "../../testing/find-all.js";
import { openIdleServer } from "../../testing/idle-server.js";
import { applySome, startJourney, UNDISPUTED } from "../../testing/own-journey.js";
import { openOrganization, type Sender } from "../../testing/sender.js";
import type { TestServer } from "../../testing/test-server.js";
import type { Journey } from "../journey.js";

// No stage runs in the background: the test makes the steps itself, holds the clock, and ends processes where it likes.
let server: TestServer;
let organizations = 0;
beforeAll(async () => {
  server = await openIdleServer();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => server.close());

const HOUR_MS = 3_600_000;
const DAY = "24h";

/** Everything that can be computed, also over other computed attributes. */
const DEFINITIONS = [
  { target: "user", name: "orders", compute: { count: { event: "Order" } } },
  { target: "user", name: "lately", compute: { sum: { event: "Order", property: "total", within: DAY } } },
  { target: "user", name: "first", type: "numeric", compute: { first: { event: "Order", property: "total" } } },
  { target: "user", name: "largest", type: "numeric", compute: { max: { event: "Order", property: "total" } } },
  { target: "user", name: "kinds", compute: { unique: { event: "Visit", property: "total" } } },
  { target: "user", name: "busy", type: "boolean", compute: { formula: "orders > 1.0 || score > 3.0" } },
  { target: "account", name: "users", compute: { over_users: { count: {} } } },
  { target: "account", name: "pros", compute: { over_users: { share: { where: { term: { plan: "pro" } } } } } },
  { target: "account", name: "points", compute: { over_users: { sum: { attribute: "score" } } } },
  { target: "account", name: "all_orders", compute: { over_users: { sum: { attribute: "orders" } } } },
  { target: "account", name: "revenue", compute: { over_users: { sum: { event: "Order", property: "total" } } } },
  { target: "account", name: "visits", compute: { over_users: { count: { event: "Visit", within: DAY } } } },
  {
    target: "account",
    name: "active",
    compute: { over_users: { count: { where: { range: { last_seen_at: { gte: "now-24h" } } } } } },
  },
] as const;

const USERS = ["ann", "bob", "cid"];
const ACCOUNTS = ["acme.com", "globex.com"];
const who = fc.oneof(
  fc.constantFrom(...USERS).map((external_id) => ({ external_id })),
  fc.constantFrom("a1", "a2").map((anonymous_id) => ({ anonymous_id })),
);

type Act =
  | { kind: "track"; user: object; event: string; total: number; hoursAgo: number; account: string | undefined }
  | { kind: "traits"; user: object; traits: object; hoursAgo: number; account: string | undefined }
  | { kind: "join"; user: string; anonymousId: string }
  | { kind: "erase"; user: string }
  | { kind: "wait"; hours: number }
  | { kind: "define"; place: number }
  | { kind: "apply"; entries: number }
  | { kind: "relay"; steps: number; diesAt: number | undefined };

const account = fc.option(fc.constantFrom(...ACCOUNTS), { nil: undefined });
const hoursAgo = fc.integer({ min: 0, max: 60 });
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("track" as const),
      user: who,
      event: fc.constantFrom("Order", "Visit"),
      total: fc.integer({ min: -3, max: 9 }),
      hoursAgo,
      account,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("traits" as const),
      user: who,
      hoursAgo,
      account,
      traits: fc.record({ plan: fc.constantFrom("pro", "free", null), score: fc.integer({ min: 0, max: 5 }) }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("join" as const),
      user: fc.constantFrom(...USERS),
      anonymousId: fc.constantFrom("a1", "a2"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("erase" as const), user: fc.constantFrom(...USERS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 30 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("define" as const), place: fc.nat({ max: DEFINITIONS.length - 1 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("apply" as const), entries: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("relay" as const),
      steps: fc.integer({ min: 1, max: 4 }),
      diesAt: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    }),
  },
);

/** So few may be due that most of them are noted from the change log. */
const CROWDED = { compute: { mostDue: 2 } };

class Death extends Error {}

/** A database of a process that dies at its n-th transaction from now: before or after the commit. */
function mortal(database: Database, diesAt: number | undefined): Database {
  let left = diesAt === undefined ? Number.POSITIVE_INFINITY : diesAt;
  return {
    ...database,
    async transaction(work) {
      left -= 1;
      if (left === 0 && (diesAt ?? 0) % 2 === 0) {
        return database.transaction(async (tx) => {
          await work(tx);
          throw new Death("before the commit");
        });
      }
      const result = await database.transaction(work);
      if (left === 0) throw new Death("after the commit");
      return result;
    },
  };
}

/** One organization with a script of acts, and the process that works on it. */
class Script {
  readonly sender: Sender;
  readonly id: string;
  #journey: Journey;
  readonly #defined = new Set<number>();

  constructor(sender: Sender, id: string) {
    this.sender = sender;
    this.id = id;
    this.#journey = startJourney(server);
  }

  async run(acts: readonly Act[]): Promise<void> {
    for (const one of acts) await this.#do(one);
    for (const place of DEFINITIONS.keys()) await this.#define(place);
  }

  async #do(one: Act): Promise<void> {
    const { sender } = this;
    const at = (hours: number) => new Date(Date.now() - hours * HOUR_MS);
    const linked = (domain: string | undefined) => (domain === undefined ? {} : { account: { domain } });
    switch (one.kind) {
      case "track": {
        const subject = { user: one.user, ...linked(one.account) };
        await sender.send([sender.track(subject, one.event, { properties: { total: one.total } }, at(one.hoursAgo))]);
        return;
      }
      case "traits":
        await sender.send([
          sender.traits({ user: one.user, ...linked(one.account) }, { ...one.traits }, at(one.hoursAgo)),
        ]);
        return;
      case "join":
        await sender.send([
          sender.entry("alias", { user: { external_id: one.user } }, { anonymous_id: one.anonymousId }),
        ]);
        return;
      case "erase":
        await sender.send([sender.entry("incinerate", { user: { external_id: one.user } }, {})]);
        return;
      case "wait":
        vi.setSystemTime(Date.now() + one.hours * HOUR_MS);
        this.#journey.requestSweep(this.id);
        return;
      case "define":
        await this.#define(one.place);
        return;
      case "apply":
        await applySome(server, this.id, one.entries);
        return;
      case "relay": {
        this.#journey = startJourney(server, { database: mortal(server.database, one.diesAt), ...CROWDED });
        this.#journey.requestSweep(this.id);
        try {
          for (let step = 0; step < one.steps; step++) await this.#journey.relay(this.id, UNDISPUTED);
        } catch (error) {
          if (!(error instanceof Death)) throw error;
        }
        this.#journey = startJourney(server, CROWDED);
      }
    }
  }

  async #define(place: number): Promise<void> {
    if (this.#defined.has(place)) return;
    this.#defined.add(place);
    const answer = await this.sender.call("POST", "/computed_attributes", { payload: DEFINITIONS[place] });
    expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  }

  /** Does all work that waits, and a look after the time has gone on. */
  async settle(): Promise<void> {
    for (const pause of [0, 60_000, 60_000]) {
      vi.setSystemTime(Date.now() + pause);
      this.#journey.requestSweep(this.id);
      for (let idle = 0, steps = 0; idle < 3; steps++) {
        if (steps > 300) throw new Error("It does not settle.");
        const hasApplied = await applySome(server, this.id, 100);
        const result = await this.#journey.relay(this.id, UNDISPUTED);
        if (hasApplied || result === "worked") idle = 0;
        else idle += 1;
      }
    }
  }
}

type Report = Record<string, unknown> & { id: string };

/** What the values must be, from the users and events that there are in the end. */
async function model(id: string) {
  const read = async (target: "user" | "account" | "event") =>
    (await findAll(server, id, target, { match_all: {} })).map(({ report }) => report as Report);
  const [users, accounts, events] = await Promise.all([read("user"), read("account"), read("event")]);
  const now = Date.now();
  const isLate = (time: unknown) => Date.parse(String(time)) >= now - 24 * HOUR_MS;
  const total = ({ properties }: Report) => (properties as { total: number }).total;
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const of = (event: string, userIds: readonly string[]) =>
    events
      .filter((one) => one.event === event && userIds.includes(String(one.user_id)))
      .toSorted(
        (a, b) => Date.parse(String(a.created_at)) - Date.parse(String(b.created_at)) || (a.id < b.id ? -1 : 1),
      );
  const expected = new Map<string, Record<string, unknown>>();
  const ordersOf = (user: Report) => of("Order", [user.id]);
  for (const user of users) {
    const orders = ordersOf(user);
    const score = (user.traits_score ?? null) as number | null;
    expected.set(user.id, {
      traits_orders: orders.length,
      traits_lately: sum(orders.filter(({ created_at }) => isLate(created_at)).map(total)),
      traits_first: orders[0] ? total(orders[0]) : null,
      traits_largest: orders.length > 0 ? Math.max(...orders.map(total)) : null,
      traits_kinds: new Set(of("Visit", [user.id]).map(total)).size,
      traits_busy: orders.length > 1 ? true : score === null ? null : score > 3,
    });
  }
  for (const { id: accountId } of accounts) {
    const own = users.filter((user) => user.account_id === accountId);
    const ids = own.map((user) => user.id);
    const pros = own.filter(({ traits_plan }) => traits_plan === "pro").length;
    expected.set(accountId, {
      users: own.length,
      pros: own.length === 0 ? null : pros / own.length,
      points: sum(own.map(({ traits_score }) => (traits_score ?? 0) as number)),
      all_orders: sum(own.map((user) => ordersOf(user).length)),
      revenue: sum(of("Order", ids).map(total)),
      visits: of("Visit", ids).filter(({ created_at }) => isLate(created_at)).length,
      active: own.filter(({ last_seen_at }) => isLate(last_seen_at)).length,
    });
  }
  const actual = new Map(
    [...users, ...accounts].map((report) => {
      const keys = Object.keys(expected.get(report.id) ?? {});
      return [report.id, Object.fromEntries(keys.map((key) => [key, report[key] ?? null]))] as const;
    }),
  );
  return { expected: Object.fromEntries(expected), actual: Object.fromEntries(actual) };
}

test(
  "whatever happens in whatever order, and wherever a process ends, all values are those of a plain model",
  async () => {
    const begin = Date.now();
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 45 }), async (acts) => {
        organizations += 1;
        vi.useFakeTimers({ toFake: ["Date"], now: begin });
        const sender = await openOrganization(server, `model-${organizations}`);
        const { rows } = await server.database.query<{ id: string }>(
          "select id from organizations where namespace = $1",
          [`model-${organizations}`],
        );
        const script = new Script(sender, rows[0]?.id ?? "");
        await script.run(acts);
        await script.settle();
        const list = (await sender.call("GET", "/computed_attributes?per_page=100")).json<{ status: string }[]>();
        expect(list.map(({ status }) => status)).toEqual(DEFINITIONS.map(() => "ok"));
        const { expected, actual } = await model(script.id);
        const rounded = (value: object) =>
          JSON.parse(JSON.stringify(value, (_, one) => (typeof one === "number" ? Number(one.toFixed(9)) : one)));
        expect(rounded(actual)).toEqual(rounded(expected));
      }),
      { numRuns: sized(6, 150) },
    );
  },
  sized(240_000, 3_600_000),
);
