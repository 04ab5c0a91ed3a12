import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

interface UserFigures {
  id: string;
  stats: { actions: Record<string, number> };
  identities: { provider: string; uid: string; stats: { events?: number } }[];
}

async function figuresOf(id: string) {
  const { stats, identities } = (await sender.object(id)) as unknown as UserFigures;
  const byAnonymousId = identities
    .filter(({ provider }) => provider === "anonymous")
    .map(({ uid, stats: { events } }) => [uid, events] as const);
  return { byName: stats.actions, byAnonymousId: Object.fromEntries(byAnonymousId) };
}

/** The same figures, counted from a list of all events. */
async function countedFrom(id: string) {
  const user = (await sender.object(id)) as unknown as UserFigures;
  const events = await sender.events({ user: user.id });
  const count = (keys: readonly (string | null)[]) => {
    const counts = new Map<string, number>();
    for (const key of keys) if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    return Object.fromEntries(counts);
  };
  const own = user.identities.filter(({ provider }) => provider === "anonymous").map(({ uid }) => [uid, 0]);
  return {
    byName: count(events.map(({ event }) => event)),
    byAnonymousId: { ...Object.fromEntries(own), ...count(events.map(({ anonymous_id }) => anonymous_id)) },
  };
}

/** The counts that the profile of a user has; undefined when they are not known. */
async function storedCounts(id: string): Promise<unknown> {
  const { rows } = await server.database.query<{ n: unknown }>("select state -> 'n' as n from users where id = $1", [
    id,
  ]);
  return rows[0]?.n ?? undefined;
}

const named = (name: string) => ({ user: { external_id: name, anonymous_id: `browser of ${name}` } });

test("events are counted, also when they are sent again, renamed, moved to another user, or merged with their user", async () => {
  const step = fc.record({
    who: fc.nat(3),
    event: fc.constantFrom("Viewed", "Ordered", "__proto__", "constructor", "7"),
    eventId: fc.option(fc.nat(5), { nil: undefined }),
    day: fc.constantFrom("2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"),
    /** Whether the user is merged with the next one before. */
    merges: fc.constantFrom(false, false, false, false, true),
  });
  let run = 0;
  let known = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 4 }), async (batches) => {
      run += 1;
      const nameOf = (who: number) => `run ${run} user ${who}`;
      await sender.settle([0, 1, 2, 3].map((who) => sender.traits(named(nameOf(who)), { a: 1 })));
      const ids = await Promise.all(
        [0, 1, 2, 3].map(async (who) => (await sender.user({ external_id: nameOf(who) })).id),
      );
      for (const batch of batches) {
        const entries = batch.flatMap(({ who, event, eventId, day, merges }) => {
          const user = named(nameOf(who));
          const event_id = eventId === undefined ? {} : { event_id: `run ${run} event ${eventId}` };
          const alias = { anonymous_id: `browser of ${nameOf((who + 1) % 4)}` };
          return [
            ...(merges ? [sender.entry("alias", user, alias)] : []),
            sender.track(user, event, { created_at: day, ...event_id }),
          ];
        });
        await sender.settle(entries);
      }
      for (const id of ids) {
        expect(await figuresOf(id)).toEqual(await countedFrom(id));
        if ((await storedCounts(id)) !== undefined) known += 1;
      }
    }),
    { numRuns: 12 },
  );
  expect(known).toBeGreaterThan(0);
});

test("a user whose event became that of another user has counts again, from the question engine", async () => {
  await sender.settle([
    sender.track(named("ann"), "Viewed", { event_id: "shared" }),
    sender.track(named("ann"), "Left"),
  ]);
  const { id } = await sender.user({ external_id: "ann" });
  expect(await storedCounts(id)).toEqual([{ Viewed: 1, Left: 1 }, { "browser of ann": 2 }]);
  await sender.settle([sender.track(named("bob"), "Viewed", { event_id: "shared" })]);
  expect(await storedCounts(id)).toBeUndefined();
  expect(await figuresOf(id)).toEqual({ byName: { Left: 1 }, byAnonymousId: { "browser of ann": 1 } });
});

test("an event that an end user sends again is counted once", async () => {
  const who = named("cay");
  for (const event of ["Viewed", "Viewed", "Seen"]) {
    await sender.callAs(who, "POST", "/t", {
      payload: { event, event_id: "mine", created_at: "2026-05-01T00:00:00Z" },
    });
  }
  await sender.settle([sender.track(who, "Left")]);
  const { id } = await sender.user({ external_id: "cay" });
  expect(await storedCounts(id)).toEqual([{ Seen: 1, Left: 1 }, { "browser of cay": 2 }]);
  expect(await figuresOf(id)).toEqual(await countedFrom(id));
});

test("a user with more kinds of events than a profile counts has all counts, from the question engine", async () => {
  const events = Array.from({ length: 101 }, (_, n) => sender.track(named("dan"), `Event ${n}`));
  await sender.settle(events);
  const { id } = await sender.user({ external_id: "dan" });
  expect(await storedCounts(id)).toBeUndefined();
  expect(Object.keys((await figuresOf(id)).byName)).toHaveLength(101);
});

test("a user with events from before they were counted has all counts, from the question engine", async () => {
  await sender.settle([sender.track(named("eve"), "Viewed")]);
  const { id } = await sender.user({ external_id: "eve" });
  await server.database.query("update users set state = (state::jsonb - 'n')::json where id = $1", [id]);
  await sender.settle([sender.track(named("eve"), "Left")]);
  expect(await storedCounts(id)).toBeUndefined();
  expect(await figuresOf(id)).toEqual({ byName: { Viewed: 1, Left: 1 }, byAnonymousId: { "browser of eve": 2 } });
});
