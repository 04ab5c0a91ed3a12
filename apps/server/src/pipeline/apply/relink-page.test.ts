// @module-tag long
import fc from "fast-check";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sized } from "../../../../../testing/test-length.js";
import { ConnectorDirectory } from "../../connectors/connector-directory.js";
import type { AttributeChanges } from "../../domain/changes/change-set.js";
import { createMetrics } from "../../runtime/measures/metrics.js";
import { createKeyedHash } from "../../runtime/secrets/keyed-hash.js";
import { createVault } from "../../runtime/secrets/vault.js";
import { PostgresLog } from "../../storage/ingest-log/postgres/postgres-log.js";
import { isErasureUnprojected, organizationsToClean } from "../../storage/postgres/changes/erasures.js";
import { ConnectorStore } from "../../storage/postgres/connectors/connectors.js";
import { readBatch } from "../../storage/postgres/delivery/outbox.js";
import { organizationsWithWork } from "../../storage/postgres/ingest/apply-cursors.js";
import { ConnectorApp, smartManifest } from "../../testing/connector-app.js";
import { findAll } from "../../testing/find-all.js";
import { openIdleServer } from "../../testing/idle-server.js";
import { Sender } from "../../testing/sender.js";
import type { TestServer } from "../../testing/test-server.js";
import { Journey } from "../journey.js";
import { createContextReaders } from "./context-readers.js";
import { type Act, Script } from "./relink-script.test.kit.js";

// No stage runs in the background: each test makes the steps itself. A new journey is a process that has just started.
const SECRET_KEY = "6".repeat(64);
const UNDISPUTED = { isContinued: true, isValid: () => true, isLost: () => false, confirm: async () => {} };
const readers = createContextReaders(undefined);
const FEW = 2;
const ALL = 1_000_000;

let server: TestServer;
let sender: Sender;
let app: ConnectorApp;
let organizationId: string;
let directory: ConnectorDirectory;
let worlds = 0;
let world: string;

beforeAll(async () => {
  server = await openIdleServer({ ALLOW_PRIVATE_NETWORK: "true", SECRET_KEY });
  sender = new Sender(server);
  organizationId = server.first.organization.id;
  app = await ConnectorApp.open(smartManifest());
  await app.install(server);
  const { database } = server;
  const logger = pino({ level: "silent" });
  directory = new ConnectorDirectory({
    store: new ConnectorStore(database, createVault(SECRET_KEY)),
    database,
    logger,
  });
  await directory.refresh();
});
afterAll(async () => {
  await server.close();
  await app.close();
});
beforeEach(() => {
  world = `w${++worlds}`;
});

/** A process in which at most so many users follow an account in one change. */
function start(maxRelinkedUsers: number): Journey {
  const { database, questions } = server;
  const rules = {
    readers,
    hash: createKeyedHash(SECRET_KEY, "erased identifiers"),
    maxAttributes: 2_000,
    maxValueBytes: 65_536,
    mergesPerDay: 100,
    maxAnonymousIds: 100,
    maxSubjectBytes: 1_000_000,
    maxEntities: 100,
    attributesChanged: "attributes_changed",
    newNames: { perOrganization: 0, perVisitor: 0 },
  };
  return new Journey({
    database,
    log: new PostgresLog(database),
    questions,
    metrics: createMetrics(),
    lags: { add() {} },
    logger: pino({ level: "silent" }),
    apply: { rules, bulkEvery: 4, maxRelinkedUsers },
    notify: { directory, onQueued: () => {} },
    wakeRelay: () => {},
    isWatched: () => false,
    onRejected: () => {},
  });
}

const apply = (journey: Journey) => journey.apply(organizationId, UNDISPUTED);
const relay = async (journey: Journey) => {
  while ((await journey.relay(organizationId, UNDISPUTED)) !== "idle");
};

/** Makes steps until nothing waits. */
async function finish(journey: Journey): Promise<void> {
  await relay(journey);
  while ((await apply(journey)) !== "idle") await relay(journey);
}

const account = (name: string) => ({ anonymous_id: `${world}.${name}` });
const user = (name: string) => ({ external_id: `${world}.${name}` });
const link = (who: string, to: string) => sender.traits({ user: user(who), account: account(to) }, {});
const merge = (one: string, other: string) => sender.entry("alias", { account: account(one) }, account(other));
const erase = (name: string) => sender.entry("incinerate", { account: account(name) }, {});
const ENTRIES = { link, merge, erase, touch: (who: string) => sender.track({ user: user(who) }, "Seen") };
const named = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** The account of each user of this world: as the API shows it, and as a search finds it. Former ids tell accounts apart. */
async function linksOf(names: readonly string[]): Promise<Record<string, { shown: unknown; found: unknown }>> {
  const documents = await findAll(server, organizationId, "user");
  const links: Record<string, { shown: unknown; found: unknown }> = {};
  for (const name of names) {
    if (!(await sender.isKnown(user(name)))) continue;
    const report = await sender.user(user(name));
    const document = documents.find(({ id }) => id === report.id);
    links[name] = { shown: nameOf(report.account), found: nameOf(document?.account?.report) };
    expect(report.account_id ?? null).toBe((report.account as { id?: string } | null)?.id ?? null);
  }
  return links;
}

function nameOf(report: unknown): string | null {
  const { anonymous_ids: ids = [] } = (report ?? {}) as { anonymous_ids?: string[] };
  return ids.length === 0
    ? null
    : ids
        .map((id) => id.slice(world.length + 1))
        .sort()
        .join();
}

async function countWaiting(): Promise<number> {
  const { rows } = await server.database.query("select from account_relinks where organization_id = $1", [
    organizationId,
  ]);
  return rows.length;
}

/** What connectors are told about the accounts of users, in the order of the queue. Nothing is delivered in these tests. */
async function toldLinks(): Promise<Map<string, AttributeChanges[string][]>> {
  const { rows } = await server.database.query<{ batch_id: number; chosen: number[] }>(
    "select batch_id, chosen from outbox where channel = 'user:update' order by position",
  );
  const told = new Map<string, AttributeChanges[string][]>();
  for (const { batch_id, chosen } of rows) {
    const { messages } = await readBatch(server.database, organizationId, batch_id);
    for (const message of chosen.map((place) => messages[place])) {
      if (message?.kind !== "user") continue;
      const name = String(message.entity.external_id);
      const change = message.changes.attributes.account_id;
      if (!name.startsWith(`${world}.`) || !change) continue;
      const key = name.slice(world.length + 1);
      told.set(key, [...(told.get(key) ?? []), change]);
    }
  }
  return told;
}

test("users of a merged account follow in pages, records come between the pages, and readers see the survivor at once", async () => {
  const journey = start(FEW);
  const names = named("u", 7);
  await sender.send([...names.map((name) => link(name, "old")), link("v", "new")]);
  await finish(journey);
  const old = String((await sender.user(user("u0"))).account_id);
  const survivor = String((await sender.user(user("v"))).account_id);

  await sender.send([merge("new", "old")]);
  expect(await apply(journey)).toBe("worked");
  expect(await countWaiting()).toBe(1);
  await relay(journey);
  const both = { shown: "new,old", found: expect.stringMatching(/^(old|new,old)$/) };
  expect(await linksOf(names)).toEqual(Object.fromEntries(names.map((name) => [name, both])));
  expect(await organizationsWithWork(server.database)).toMatchObject({ apply: [organizationId] });

  // One page, then records, in turns.
  await sender.send([sender.traits({ user: user("late") }, { seen: true })]);
  await apply(journey);
  expect(await sender.isKnown(user("late"))).toBe(false);
  await apply(journey);
  expect(await sender.isKnown(user("late"))).toBe(true);
  await finish(start(FEW));
  expect(await countWaiting()).toBe(0);
  expect(await linksOf(names)).toEqual(
    Object.fromEntries(names.map((name) => [name, { shown: "new,old", found: "new,old" }])),
  );
  expect(await findAll(server, organizationId, "account", { ids: { values: [old, survivor] } })).toHaveLength(1);
  expect([...(await toldLinks())].filter(([name]) => names.includes(name)).map(([, told]) => told)).toEqual(
    names.map(() => [
      [null, old],
      [old, survivor],
    ]),
  );
  const { rows } = await server.database.query<{ users: number }>(
    "select count(*) as users from users where organization_id = $1 and account_id = $2",
    [organizationId, survivor],
  );
  expect(rows).toEqual([{ users: 8 }]);
}, 60_000);

test("users of an erased account show nothing of it while they wait, and logs and files wait for the last of them", async () => {
  const journey = start(FEW);
  const names = named("u", 7);
  await sender.send(names.map((name) => link(name, "gone")));
  await finish(journey);
  const gone = String((await sender.user(user("u0"))).account_id);
  await sender.send([erase("gone")]);
  await apply(journey);
  await relay(journey);
  expect(await countWaiting()).toBe(1);

  const nothing = { shown: null, found: null };
  expect(await linksOf(names)).toEqual(Object.fromEntries(names.map((name) => [name, nothing])));
  const search = await sender.call("POST", "/search/user_reports", {
    payload: { query: { match_all: {} }, per_page: 100 },
  });
  expect([search.statusCode, search.body]).toEqual([200, expect.stringContaining(`${world}.u6`)]);
  expect(search.body).not.toContain(gone);
  expect(await isErasureUnprojected(server.database, organizationId)).toBe(true);
  expect(await organizationsToClean(server.database)).toEqual([]);

  // A record about a user who waits neither brings the account back nor keeps the user from following.
  await sender.send([sender.traits({ user: user("u6") }, { touched: true }), link("u5", "next")]);
  await finish(start(FEW));
  expect(await countWaiting()).toBe(0);
  expect(await isErasureUnprojected(server.database, organizationId)).toBe(false);
  expect(await organizationsToClean(server.database)).toEqual([organizationId]);
  const links = await linksOf(names);
  expect(links).toMatchObject({ u0: nothing, u6: nothing, u5: { shown: "next", found: "next" } });
  expect((await toldLinks()).get("u6")).toEqual([
    [null, gone],
    [gone, null],
  ]);
  const { rows } = await server.database.query("select from users where account_id = $1", [gone]);
  expect(rows).toEqual([]);
}, 60_000);

describe("while users wait to follow", () => {
  test("their account may be merged again or erased, and a record may link them to another one", async () => {
    const journey = start(FEW);
    const names = named("u", 6);
    await sender.send([...names.map((name) => link(name, "a")), link("v", "b"), link("w", "c"), link("x", "d")]);
    await finish(journey);
    await sender.send([merge("b", "a")]);
    await apply(journey);
    await sender.send([merge("c", "b"), link("u5", "d")]);
    await apply(journey);
    await apply(journey);
    expect(await countWaiting()).toBe(2);
    expect((await linksOf(["u4", "u5"])).u4).toMatchObject({ shown: "a,b,c" });
    expect((await linksOf(["u4", "u5"])).u5).toMatchObject({ shown: "d" });
    await sender.send([erase("c")]);
    await apply(journey);
    await apply(journey);
    expect((await linksOf(["u4", "u5"])).u4).toMatchObject({ shown: null });
    await finish(journey);
    const links = await linksOf([...names, "v", "w"]);
    const nothing = { shown: null, found: null };
    expect(links).toEqual({
      ...Object.fromEntries([...names, "v", "w"].map((name) => [name, nothing])),
      u5: { shown: "d", found: "d" },
    });
  }, 60_000);

  test("segments that ask about the account see no user leave and come back", async () => {
    const journey = start(FEW);
    const names = named("u", 6);
    const plan = (name: string) => sender.traits({ account: account(name) }, { plan: `${world}-pro` });
    await sender.send([...names.map((name) => link(name, "a")), link("v", "b"), plan("a"), plan("b")]);
    await finish(journey);
    const query = {
      bool: { must: [{ term: { "account.plan": `${world}-pro` } }, { range: { created_at: { gte: "now-7d" } } }] },
    };
    const created = await sender.call("POST", "/users_segments", { payload: { name: world, query, predicate: {} } });
    expect([created.statusCode, created.body]).toEqual([201, expect.any(String)]);
    const sweep = async () => {
      await server.database.query("update segments set evaluated_at = now() - interval '1 day'");
      journey.requestSweep(organizationId);
      await relay(journey);
    };
    await sweep();
    await sender.send([merge("b", "a")]);
    while ((await apply(journey)) !== "idle") await sweep();
    const events = await findAll(server, organizationId, "event", {
      bool: { must: [{ terms: { event: ["Entered segment", "Left segment"] } }] },
    });
    const ids = new Set(
      (await findAll(server, organizationId, "user")).flatMap(({ id, report }) =>
        String(report.external_id).startsWith(`${world}.`) ? [id] : [],
      ),
    );
    const own = events.filter(({ report }) => ids.has(String(report.user_id))).map(({ report }) => report.event);
    expect(own).toEqual(Array.from({ length: 7 }, () => "Entered segment"));
  }, 60_000);
});

test("a user follows who was changed just before, in one step of the relay with that change", async () => {
  const journey = start(FEW);
  // The first step of a process reads the change log. Later ones take what the process has just applied.
  await finish(journey);
  await sender.send([link("u", "old")]);
  await apply(journey);
  await sender.send([sender.traits({ account: account("new") }, { plan: "pro" }), merge("new", "old")]);
  await apply(journey);
  await relay(journey);
  expect(await linksOf(["u"])).toEqual({ u: { shown: "new,old", found: "new,old" } });
});

const who = fc.nat({ max: 7 });
const which = fc.nat({ max: 3 });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("link" as const), who, to: which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("touch" as const), who }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("merge" as const), one: which, other: which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("erase" as const), which }) },
);

test("users who follow in pages, in processes that end at any time, get the accounts that they get all at once", async () => {
  const rounds = fc.array(
    fc.record({
      acts: fc.array(act, { minLength: 1, maxLength: 8 }),
      /** Steps of apply after the acts are sent, and whether the relay runs and the process ends after each of them. */
      steps: fc.array(fc.record({ isRelayed: fc.boolean(), ends: fc.boolean() }), { maxLength: 4 }),
    }),
    { minLength: 2, maxLength: 8 },
  );
  const users = named("u", 8);
  await fc.assert(
    fc.asyncProperty(rounds, async (plan) => {
      world = `w${++worlds}`;
      const inPages = new Script(ENTRIES);
      let journey = start(FEW);
      for (const { acts, steps } of plan) {
        const entries = inPages.entriesOf(acts);
        if (entries.length > 0) await sender.send(entries);
        for (const { isRelayed, ends } of steps) {
          await apply(journey);
          if (isRelayed) await relay(journey);
          if (ends) journey = start(FEW);
        }
      }
      await finish(journey);
      const links = await linksOf(users);
      for (const { shown, found } of Object.values(links)) expect(found).toEqual(shown);
      expect(await countWaiting()).toBe(0);

      world = `w${++worlds}`;
      const atOnce = new Script(ENTRIES);
      const whole = start(ALL);
      for (const { acts } of plan) {
        const entries = atOnce.entriesOf(acts);
        if (entries.length > 0) await sender.send(entries);
        await finish(whole);
      }
      expect(links).toEqual(await linksOf(users));
    }),
    { numRuns: sized(10, 60), endOnFailure: true },
  );
  // An account that no user was linked to does not exist.
  const problems = (await sender.rejected()).map(({ message }) => message);
  expect(problems.filter((message) => !message.startsWith("No account is known"))).toEqual([]);
}, 120_000);
