// @module-tag long
import type { BatchEntry, UserClaims } from "@muster/protocol";
import fc from "fast-check";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sized } from "../../../../testing/test-length.js";
import { ConnectorDirectory } from "../connectors/connector-directory.js";
import { createMetrics } from "../runtime/measures/metrics.js";
import { createKeyedHash } from "../runtime/secrets/keyed-hash.js";
import { createVault } from "../runtime/secrets/vault.js";
import { PostgresLog } from "../storage/ingest-log/postgres/postgres-log.js";
import { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import { findAll } from "../testing/find-all.js";
import { openIdleServer } from "../testing/idle-server.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";
import { createContextReaders } from "./apply/context-readers.js";
import { Journey } from "./journey.js";

const START = Date.parse("2026-01-01T00:00:00Z");
const TIMEOUT_MS = 240_000;
const SIDES = ["ann", "bob"] as const;
type Side = (typeof SIDES)[number];

/** What a record says, and of whom. Each has its own second, so the newest is known. */
interface Said {
  of: Side;
  what: { plan: string | null } | { size: string } | { event: string };
  second: number;
}

const what: fc.Arbitrary<Said["what"]> = fc.oneof(
  fc.record({ plan: fc.constantFrom("free", "pro", null) }),
  fc.record({ size: fc.constantFrom("S", "L") }),
  fc.record({ event: fc.constantFrom("Opened", "Bought") }),
);

/** Records, the place at which the two are merged and the one at which the merge is undone, and a delivery order of each part. */
const histories = fc
  .array(fc.record({ of: fc.constantFrom(...SIDES), what }), { minLength: 3, maxLength: 14 })
  .chain((said) => {
    const places = said.map((_, index) => index);
    return fc.record({
      said: fc.constant(said),
      seconds: fc.shuffledSubarray(places, { minLength: places.length }),
      cuts: fc.tuple(fc.nat(said.length), fc.nat(said.length)),
    });
  })
  .map(({ said, seconds, cuts }) => {
    const timed: Said[] = said.map((one, index) => ({ ...one, second: seconds[index]! }));
    const [merge, undo] = cuts.sort((one, other) => one - other) as [number, number];
    return { before: timed.slice(0, merge), between: timed.slice(merge, undo), after: timed.slice(undo) };
  });

interface Picture {
  plan: unknown;
  size: unknown;
  events: string[];
  actions: Record<string, number>;
}

/** The plain model: two people whom nobody has ever merged. */
function modelOf(said: readonly Said[], side: Side): Picture {
  const own = said.filter(({ of }) => of === side).sort((one, other) => one.second - other.second);
  const last = (name: "plan" | "size") =>
    own.reduce<unknown>((value, one) => (name in one.what ? (one.what as Record<string, unknown>)[name] : value), null);
  const events = own.flatMap((one) => ("event" in one.what ? [one.what.event] : [])).sort();
  const actions: Record<string, number> = {};
  for (const event of events) actions[event] = (actions[event] ?? 0) + 1;
  return { plan: last("plan"), size: last("size"), events, actions };
}

let worlds = 0;

describe("writes before, during and after a merge that is undone", () => {
  let server: TestServer;
  let sender: Sender;
  beforeAll(async () => {
    server = await openTestServer();
    sender = new Sender(server);
  });
  afterAll(() => server.close());

  const entriesOf = (claims: Record<Side, UserClaims>, world: string, said: readonly Said[]): BatchEntry[] =>
    said.map(({ of, what: given, second }) => {
      const at = new Date(START + second * 1_000);
      const who = { user: claims[of] };
      return "event" in given
        ? sender.track(who, given.event, { event_id: `${world}-${second}` }, at)
        : sender.traits(who, given, at);
    });

  async function pictureOf(claims: UserClaims): Promise<Picture> {
    const report = await sender.user(claims);
    const { stats } = (await sender.object(report.id)) as { stats: { actions: Record<string, number> } };
    const events = (await sender.events({ user: report.id })).map(({ event }) => event).sort();
    return { plan: report.traits_plan ?? null, size: report.traits_size ?? null, events, actions: stats.actions };
  }

  test(
    "are those of two who were never merged, whatever the order of delivery",
    async () => {
      await fc.assert(
        fc.asyncProperty(histories, async ({ before, between, after }) => {
          const world = `w${++worlds}`;
          const claims = { ann: { email: `ann@${world}.example` }, bob: { anonymous_id: `${world}-bob` } };
          await sender.settle(SIDES.map((side) => sender.traits({ user: claims[side] }, {}, new Date(START - 1_000))));
          const [ann, bob] = [await sender.user(claims.ann), await sender.user(claims.bob)];
          if (before.length > 0) await sender.settle(entriesOf(claims, world, before));
          const alias = await sender.call("POST", `/${ann.id}/alias`, { payload: claims.bob });
          expect(alias.statusCode).toBe(200);
          // The same records again, one by one: they count once.
          for (const batch of [between, between.toReversed()]) {
            if (batch.length > 0) await sender.settle(entriesOf(claims, world, batch));
          }
          const payload = { merged_id: bob.id };
          const undone = await sender.call("POST", `/${ann.id}/unmerge`, { payload });
          expect([undone.statusCode, undone.body]).toEqual([200, expect.any(String)]);
          if (after.length > 0) await sender.settle(entriesOf(claims, world, after));
          const all = [...before, ...between, ...after];
          expect(await pictureOf(claims.ann)).toEqual(modelOf(all, "ann"));
          expect(await pictureOf(claims.bob)).toEqual(modelOf(all, "bob"));
          expect((await sender.user(claims.bob)).id).toBe(bob.id);
        }),
        { numRuns: sized(8, 60), endOnFailure: true },
      );
    },
    TIMEOUT_MS,
  );
});

describe("a process that ends", () => {
  const SECRET_KEY = "6".repeat(64);
  const UNDISPUTED = { isContinued: true, isValid: () => true, isLost: () => false, confirm: async () => {} };
  let server: TestServer;
  let sender: Sender;
  let organizationId: string;
  let directory: ConnectorDirectory;
  beforeAll(async () => {
    server = await openIdleServer({ SECRET_KEY });
    sender = new Sender(server);
    organizationId = server.first.organization.id;
    const { database } = server;
    const store = new ConnectorStore(database, createVault(SECRET_KEY));
    directory = new ConnectorDirectory({ store, database, logger: pino({ level: "silent" }) });
    await directory.refresh();
  });
  afterAll(() => server.close());

  /** A process that has just started. */
  function start(): Journey {
    const { database, questions } = server;
    const rules = {
      readers: createContextReaders(undefined),
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
      apply: { rules, bulkEvery: 4 },
      notify: { directory, onQueued: () => {} },
      wakeRelay: () => {},
      isWatched: () => false,
      onRejected: () => {},
    });
  }

  const apply = (journey: Journey) => journey.apply(organizationId, UNDISPUTED);
  async function relay(journey: Journey): Promise<void> {
    while ((await journey.relay(organizationId, UNDISPUTED)) !== "idle");
  }
  async function applyAll(journey: Journey): Promise<void> {
    while ((await apply(journey)) !== "idle");
  }

  test.each([
    ["between apply and relay", [false, false, true]],
    ["after every step", [true, true, true]],
    ["before anything was relayed", [false, false, false]],
  ])("%s leaves the same as one that goes on", async (_, relays) => {
    const world = `k${++worlds}`;
    const [ann, bob] = [{ email: `ann@${world}.example` }, { anonymous_id: `${world}-bob` }];
    await sender.send([
      sender.traits({ user: ann }, { plan: "pro" }),
      sender.traits({ user: bob }, { size: "L" }),
      sender.track({ user: bob }, "Bought"),
    ]);
    await applyAll(start());
    if (relays[0]) await relay(start());
    const { id: bobId } = await sender.user(bob);
    const { id: annId } = await sender.user(ann);
    await sender.send([
      sender.entry("alias", { user: ann }, bob),
      sender.track({ user: bob }, "Opened"),
      sender.track({ user: ann }, "Closed"),
    ]);
    await applyAll(start());
    if (relays[1]) await relay(start());
    // The call waits until its entry is applied and relayed, and nothing runs here in the background.
    const asked = sender.call("POST", `/${annId}/unmerge`, { payload: { merged_id: bobId } });
    await expect.poll(() => apply(start()), { timeout: 20_000 }).not.toBe("idle");
    await applyAll(start());
    if (relays[2]) await relay(start());
    await relay(start());
    void asked;
    const ofUser = async (id: string) => {
      const query = { bool: { must: [{ term: { user_id: id } }], must_not: [{ term: { source: "platform" } }] } };
      const found = await findAll(server, organizationId, "event", query);
      return found.map(({ report }) => report.event).sort();
    };
    expect(await ofUser(bobId)).toEqual(["Bought", "Opened"]);
    expect(await ofUser(annId)).toEqual(["Closed"]);
    const found = await findAll(server, organizationId, "user", { terms: { id: [annId, bobId] } });
    expect(found.map(({ id, report }) => [id, report.traits_plan ?? null, report.traits_size ?? null]).sort()).toEqual(
      [
        [annId, "pro", null],
        [bobId, null, "L"],
      ].sort(),
    );
  });
});
