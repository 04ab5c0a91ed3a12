import type { BatchEntry } from "@muster/protocol";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sized } from "../../../../../testing/test-length.js";
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

const OTHER = { user: { external_id: "other" } };
const named = (name: string) => ({ user: { external_id: name, anonymous_id: `browser of ${name}` } });

test("events are counted, also when they are sent again, renamed, moved to another user, or merged with their user", async () => {
  const step = fc.record({
    who: fc.nat(3),
    event: fc.constantFrom("Viewed", "Ordered", "__proto__", "constructor", "7"),
    eventId: fc.option(fc.nat(5), { nil: undefined }),
    isLate: fc.constantFrom(false, false, false, false, true),
    /** What is done before with the browser of the next user. */
    browser: fc.constantFrom("nothing", "nothing", "nothing", "nothing", "nothing", "alias", "unalias"),
  });
  const batch = fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 6 }),
    /** Which batch is sent once more afterwards. */
    again: fc.option(fc.nat(4), { nil: undefined, freq: 3 }),
  });
  let run = 0;
  let known = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 5 }), async (batches) => {
      run += 1;
      const nameOf = (who: number) => `run ${run} user ${who}`;
      const people = [0, 1, 2, 3];
      await sender.settle(people.map((who) => sender.traits(named(nameOf(who)), { a: 1 })));
      const ids = await Promise.all(people.map(async (who) => (await sender.user({ external_id: nameOf(who) })).id));
      let minute = 0;
      const sent: BatchEntry[][] = [];
      for (const { steps, again } of batches) {
        const entries = steps.flatMap(({ who, event, eventId, isLate, browser }) => {
          minute += 1;
          const user = { user: { external_id: nameOf(who) } };
          const created_at = new Date(Date.UTC(2026, isLate ? 3 : 4, 1, 0, minute)).toISOString();
          const event_id = eventId === undefined ? {} : { event_id: `run ${run} event ${eventId}` };
          const anonymous_id = `browser of ${nameOf((who + 1) % 4)}`;
          return [
            ...(browser === "nothing" ? [] : [sender.entry(browser, user, { anonymous_id })]),
            // Of an event with an id, the anonymous id that it came with first is counted.
            sender.track(eventId === undefined ? named(nameOf(who)) : user, event, { created_at, ...event_id }),
          ];
        });
        sent.push(entries);
        await sender.settle(entries);
        if (again !== undefined) await sender.settle([...sent[again % sent.length]!, sender.traits(OTHER, { a: run })]);
      }
      for (const id of ids) {
        expect(await figuresOf(id)).toEqual(await countedFrom(id));
        if ((await storedCounts(id)) !== undefined) known += 1;
      }
    }),
    { numRuns: sized(6, 12) },
  );
  expect(known).toBeGreaterThan(0);
});

test("events that come in the order of their times are counted in the profile, and once when they are sent again", async () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 4, 1, 0, minute));
  const first = [1, 2].map((minute) => sender.track(named("fay"), "Viewed", { created_at: at(minute) }, at(minute)));
  await sender.settle(first);
  await sender.settle([sender.track(named("fay"), "Left", { created_at: at(3) }, at(3))]);
  const { id } = await sender.user({ external_id: "fay" });
  expect(await storedCounts(id)).toEqual([{ Viewed: 2, Left: 1 }, { "browser of fay": 3 }, at(3).getTime()]);
  // The whole batch is recognised. The same records in another batch are applied, and make no second events.
  await sender.settle(first);
  expect(await storedCounts(id)).toEqual([{ Viewed: 2, Left: 1 }, { "browser of fay": 3 }, at(3).getTime()]);
  await sender.settle([...first, sender.traits(OTHER, { a: 0 })]);
  expect(await storedCounts(id)).toBeUndefined();
  expect(await figuresOf(id)).toEqual({ byName: { Viewed: 2, Left: 1 }, byAnonymousId: { "browser of fay": 3 } });
});

test("a user whose event became that of another user has counts again, from the question engine", async () => {
  await sender.settle([
    sender.track(named("ann"), "Viewed", { event_id: "shared" }),
    sender.track(named("ann"), "Left"),
  ]);
  const { id } = await sender.user({ external_id: "ann" });
  expect(await storedCounts(id)).toEqual([{ Viewed: 1, Left: 1 }, { "browser of ann": 2 }, expect.any(Number)]);
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
  expect(await storedCounts(id)).toEqual([{ Seen: 1, Left: 1 }, { "browser of cay": 2 }, expect.any(Number)]);
  expect(await figuresOf(id)).toEqual(await countedFrom(id));
});

test("an event that is sent again after its anonymous id was taken from its user is not counted for the user", async () => {
  const browser = { user: { anonymous_id: "browser of gus" } };
  const viewed = sender.track(browser, "Viewed", { created_at: "2026-05-01T00:00:00Z" });
  await sender.settle([sender.traits(named("gus"), { a: 1 }), viewed]);
  const { id } = await sender.user({ external_id: "gus" });
  expect(await figuresOf(id)).toEqual({ byName: { Viewed: 1 }, byAnonymousId: { "browser of gus": 1 } });
  await sender.settle([sender.entry("unalias", { user: { external_id: "gus" } }, { anonymous_id: "browser of gus" })]);
  await sender.settle([viewed, sender.traits(OTHER, { a: -1 })]);
  const { id: visitorId } = await sender.user(browser.user);
  expect(visitorId).not.toBe(id);
  expect(await figuresOf(id)).toEqual({ byName: {}, byAnonymousId: {} });
  expect(await figuresOf(visitorId)).toEqual({ byName: { Viewed: 1 }, byAnonymousId: { "browser of gus": 1 } });
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
