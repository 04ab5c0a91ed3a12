import { expect, test } from "vitest";
import { checkPromises } from "./check.js";
import { eventId, Model } from "./model.js";
import { Sink } from "./sink.js";

const RIGHT = { least: 0, most: 0 };

interface Held {
  users: Record<string, unknown>[];
  events: Record<string, unknown>[];
}

/** A run with one user, who has one event, and one user who entered the segment; and a server that holds all of it. */
function goodRun(): { model: Model; sink: Sink; held: Held } {
  const model = new Model({ users: 1, segmentUsers: 1 });
  const [user] = model.users;
  const [member] = model.segmentUsers;
  if (!user || !member) throw new Error("The model has these users.");
  model.acknowledgeN(user, model.newNumber(user), 100, 100, RIGHT);
  user.visits = { acknowledged: 5, sent: 5 };
  model.acknowledgeEvent(model.newEvent());
  model.cross(member);
  const sink = new Sink();
  sink.events.add(0);
  sink.users.set("user-0", { n: 1, moves: new Map(), messageIds: [], call: 0 });
  const moves = new Map([["s", { isMember: true, entered: 1, left: 0 }]]);
  sink.users.set("member-0", { n: undefined, moves, messageIds: [], call: 0 });
  return {
    model,
    sink,
    held: {
      users: [
        { id: "u", external_id: "user-0", traits_n: 1, traits_visits: 5, segment_ids: [] },
        { id: "m", external_id: "member-0", segment_ids: ["s"] },
      ],
      events: [
        { event: "Seen", event_id: eventId(0), user_id: "u" },
        { event: "Entered segment", event_id: "x", user_id: "m", properties: { segment_id: "s" } },
      ],
    },
  };
}

/** The promises that a run broke. */
async function brokenBy({ model, sink, held }: ReturnType<typeof goodRun>): Promise<string[]> {
  const operator = {
    async *extract(object: "users" | "events") {
      yield* held[object];
    },
  };
  const verdicts = await checkPromises({ model, sink, operator, segmentId: "s" });
  return verdicts.filter(({ broken }) => broken.length > 0).map(({ promise }) => promise);
}

test("a run in which everything is as it must be breaks no promise", async () => {
  expect(await brokenBy(goodRun())).toEqual([]);
});

const FOLLOWS = "memberships that do not follow from the events";

function move(event: string, userId: string, segmentId: string): Record<string, unknown> {
  return { event, event_id: `${event} ${userId}`, user_id: userId, properties: { segment_id: segmentId } };
}

test.for<[string, (run: ReturnType<typeof goodRun>) => void, string[]?]>([
  ["acknowledged events lost", ({ held }) => held.events.shift()],
  ["events doubled", ({ held }) => held.events.push({ event: "Seen", event_id: eventId(0), user_id: "u" })],
  [
    "attributes that are not the newest",
    ({ held, sink }) => {
      Object.assign(held.users[0] ?? {}, { traits_n: 7 });
      Object.assign(sink.users.get("user-0") ?? {}, { n: 7 });
    },
  ],
  ["counters that are wrong", ({ held }) => Object.assign(held.users[0] ?? {}, { traits_visits: 6 })],
  [
    "users wrongly in or out of the segment",
    ({ held }) => {
      Object.assign(held.users[1] ?? {}, { segment_ids: [] });
      Object.assign(held.events[1] ?? {}, { properties: { segment_id: "other" }, user_id: "nobody" });
      held.events.push(move("Entered segment", "m", "s"), move("Left segment", "m", "s"));
    },
    ["segment events that are false or missing", FOLLOWS],
  ],
  [
    "segment events that are false or missing",
    ({ held }) => held.events.push(move("Entered segment", "u", "s"), move("Left segment", "u", "s")),
  ],
  [FOLLOWS, ({ held }) => held.events.push(move("Left segment", "u", "other"))],
  ["events that the connector was not told", ({ sink }) => sink.events.clear()],
  ["users whose last value the connector was not told", ({ sink }) => sink.users.delete("user-0")],
  ["messages out of order", ({ sink }) => sink.disordered.push("example")],
  ["moves that the connector was told wrongly", ({ sink }) => sink.users.delete("member-0")],
])("a broken promise is found: %s", async ([promise, breakIt, alsoBroken = []]) => {
  const run = goodRun();
  breakIt(run);
  expect(await brokenBy(run)).toEqual([promise, ...alsoBroken]);
});

test("a counter may have increments whose outcome is not known", async () => {
  const run = goodRun();
  const [user] = run.model.users;
  if (user) user.visits.sent = 8;
  Object.assign(run.held.users[0] ?? {}, { traits_visits: 7 });
  expect(await brokenBy(run)).toEqual([]);
});
