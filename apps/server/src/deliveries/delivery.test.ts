import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { lockNotifyCursor } from "../storage/postgres/delivery/outbox.js";
import { PATIENCE } from "../testing/bulk.js";
import { ConnectorApp, NEXT, type Respond, smartManifest } from "../testing/connector-app.js";
import { DeliveryKit } from "../testing/delivery-kit.js";
import { Sender } from "../testing/sender.js";
import { type TestServer, withTestServer } from "../testing/test-server.js";

const ONLY_USERS = {
  subscriptions: [{ url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } }],
};

let kit: DeliveryKit;
let muster: TestServer;
let sender: Sender;

beforeAll(async () => {
  kit = await DeliveryKit.open({ DELIVERY_ATTEMPTS: "4", DELIVERY_TIMEOUT_MS: "300" });
  ({ muster, sender } = kit);
});
afterAll(() => kit.close());
afterEach(() => kit.removeConnectors());

const operator: DeliveryKit["operator"] = (...call) => kit.operator(...call);

const installed = (respond: Respond, parts: Record<string, unknown> = {}) =>
  kit.install(smartManifest({ ...ONLY_USERS, ...parts }), respond);

/** Entries for so many users, whose external ids begin with `prefix`. */
function users(prefix: string, count: number, by = sender) {
  return Array.from({ length: count }, (_, index) =>
    by.traits({ user: { external_id: `${prefix}-${index}` } }, { n: index }),
  );
}

/** Whether a statement waits for the lock on a notify cursor. */
async function isAnyoneWaiting(): Promise<boolean> {
  const { rowCount } = await muster.database.query(
    `select from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%notify_cursors%'`,
  );
  return (rowCount ?? 0) > 0;
}

function idsOf(app: ConnectorApp): unknown[] {
  return app.userMessages.map(({ user }) => user.external_id);
}

/** Stops the clock that deliveries read, and notes how long their loops ask to wait. */
function stopClock() {
  let now = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now);
  // A loop waits by a timer.
  const waits = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => {
    clock.mockRestore();
    waits.mockRestore();
  });
  return {
    advance: (ms: number) => {
      now += ms;
      waits.mockClear();
    },
    /** How long loops asked to wait since the clock was last advanced. */
    waitsMs: () => waits.mock.calls.map(([, ms]) => ms ?? 0),
  };
}

describe("flow control", () => {
  test("`size` limits the next call, and `in` is the pause before it", async () => {
    const clock = stopClock();
    const { app } = await installed(() => ({ flow_control: { type: "next", size: 3, in: 150 } }));
    await sender.send(users("flow", 110));
    for (const calls of [1, 2, 3, 4]) {
      await app.until(({ notifications }) => notifications.length === calls);
      // The second wait means that the loop woke up, found it too early and did not call.
      await expect.poll(() => clock.waitsMs().filter((ms) => ms === 150).length, PATIENCE).toBeGreaterThanOrEqual(2);
      expect(app.notifications).toHaveLength(calls);
      clock.advance(150);
    }
    const sizes = app.notifications.map(({ messages }) => messages.length);
    expect(sizes).toEqual([100, 3, 3, 3]);
  });

  test("`at` gives the time of the next call", async () => {
    const at = Math.ceil(Date.now() / 1_000) + 60;
    const { app } = await installed(() => ({ flow_control: { type: "next", at } }));
    await sender.send(users("at-first", 1));
    await app.until(({ notifications }) => notifications.length === 1);
    const clock = stopClock();
    const untilAtMs = at * 1_000 - Date.now();
    await sender.settle(users("at-second", 1));
    await expect.poll(clock.waitsMs, PATIENCE).toContain(untilAtMs);
    expect(app.notifications).toHaveLength(1);
    clock.advance(untilAtMs);
    // A new message wakes the loop, which would sleep for the rest of the minute.
    await sender.send(users("at-third", 1));
    await app.until(({ notifications }) => notifications.length === 2);
    expect(idsOf(app).slice(0, 2)).toEqual(["at-first-0", "at-second-0"]);
  });

  test("`in_time` is the longest time that a call waits for more messages", async () => {
    const { app } = await installed(() => ({ flow_control: { type: "next", size: 3, in_time: 600 } }));
    await sender.settle(users("fill-first", 1));
    await app.until(({ notifications }) => notifications.length === 1);
    const clock = stopClock();
    for (const name of ["a", "b"]) await sender.settle(users(`fill-${name}`, 1));
    // The database dates the first message after the clock was stopped, so the wait is as long as asked for, or longer.
    // Waits of whole seconds are those of other loops.
    const isFilling = (ms: number) => ms >= 600 && ms < 10_000 && ms % 1_000 !== 0;
    await expect.poll(() => clock.waitsMs().filter(isFilling), PATIENCE).not.toEqual([]);
    expect(app.notifications).toHaveLength(1);
    clock.advance(60_000);
    await app.until(({ notifications }) => notifications.length === 2);
    expect(app.notifications[1]?.messages).toHaveLength(2);
  });

  test("`retry` sends the same messages again, in full", async () => {
    let retries = 2;
    const { app } = await installed(() => ({ flow_control: { type: retries-- > 0 ? "retry" : "next", in: 10 } }));
    await sender.send(users("again", 5));
    await app.until(({ notifications }) => notifications.length === 3);
    const contents = app.notifications.map(({ messages }) => JSON.stringify(messages));
    expect(new Set(contents).size).toBe(1);
    expect(new Set(app.notifications.map(({ notification_id }) => notification_id)).size).toBe(3);
  });

  test("a connector gets one call at a time", async () => {
    let open = 0;
    let most = 0;
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    const app = await ConnectorApp.open(smartManifest(ONLY_USERS), async () => {
      most = Math.max(most, ++open);
      // The first call stays open until there is work for more calls.
      await isReleased;
      open--;
      return { flow_control: { type: "next", size: 2 } };
    });
    // A server of its own, whose calls do not time out while they are open.
    await withTestServer({ DELIVERY_TIMEOUT_MS: "60000" }, async (server) => {
      await server.listen();
      await app.install(server);
      const own = new Sender(server);
      for (const name of ["x", "y", "z"]) await own.settle(users(`single-${name}`, 4, own));
      release();
      await app.until(({ userMessages }) => userMessages.length === 12);
    });
    await app.close();
    expect(most).toBe(1);
  });
});

test.each<[string, Respond]>([
  ["answers with an error", (_call, response) => response.writeHead(500).end("no") && undefined],
  ["answers something that is not JSON", (_call, response) => response.end("ok") && undefined],
  ["cuts the connection", (_call, response) => response.destroy() && undefined],
  ["never answers", () => undefined],
  ["is busy", (_call, response) => response.writeHead(503, { "retry-after": "0" }).end() && undefined],
])("messages are sent again to a connector that %s, until it accepts them", async (_name, fail) => {
  let failures = 2;
  const { app } = await installed((call, response) => (failures-- > 0 ? fail(call, response) : NEXT));
  await sender.send(users(`fails-${_name.length}`, 1));
  await app.until(({ notifications }) => notifications.length === 3);
  expect(new Set(app.notifications.map(({ messages }) => JSON.stringify(messages))).size).toBe(1);
});

test("a message that is always refused becomes a dead letter, and the messages around it are delivered", async () => {
  const { app, id } = await installed((call, response) => {
    const poisoned = JSON.stringify(call.body.messages).includes('"poison-7"');
    return poisoned ? response.writeHead(422).end('{"error":"cannot digest"}') && undefined : NEXT;
  });
  await sender.send(users("poison", 20));
  const listed = await lettersOf(id, 1);
  expect(listed).toMatchObject([
    { connector_id: id, channel: "user:update", reason: "It answered with status 422.", attempts: expect.any(Number) },
  ]);
  const letter = (await operator("GET", `/dead_letters/${listed[0]?.id}`)).json();
  expect(letter).toMatchObject({
    entity_id: (await sender.user({ external_id: "poison-7" })).id,
    request: { url: `${app.url}/smart-notifier`, messages: 1, notification_id: expect.any(String) },
    answer: { status: 422, body: '{"error":"cannot digest"}' },
    message: { entity: { external_id: "poison-7" }, changes: { attributes: { traits_n: [null, 7] } } },
  });
  await vi.waitFor(async () => {
    const delivery = (await operator("GET", `/${id}/delivery`)).json();
    expect(delivery).toMatchObject({ sent_messages: 19, dead_messages: 1, dead_letters: 1, queued_messages: 0 });
  }, 20_000);
  expect(new Set(idsOf(app)).size).toBe(20);
});

/** The dead letters of a connector, once there are this many. */
async function lettersOf(id: string, count: number): Promise<{ id: number }[]> {
  return vi.waitFor(async () => {
    const letters = (await operator("GET", `/dead_letters?connector_id=${id}`)).json<{ id: number }[]>();
    expect(letters).toHaveLength(count);
    return letters;
  }, 20_000);
}

describe("dead letters", () => {
  test("those that match are sent again with the user as it is now", async () => {
    let isBroken = true;
    const { app, id } = await installed((_call, response) =>
      isBroken ? response.writeHead(400).end() && undefined : NEXT,
    );
    const one = { user: { external_id: "letter-1" } };
    const other = { user: { external_id: "letter-2" } };
    await sender.send([sender.traits(one, { plan: "free" }), sender.traits(other, { plan: "free" })]);
    await lettersOf(id, 2);
    isBroken = false;
    await sender.settle([sender.traits(one, { color: "red" })]);
    await app.until(({ userMessages }) => userMessages.some(({ user }) => user.traits_color === "red"));
    const seen = app.userMessages.length;
    const objectId = (await sender.user({ external_id: "letter-1" })).id;
    const retried = await operator("POST", "/dead_letters/retry", { connector_id: id, entity_id: objectId });
    expect(retried.json()).toEqual({ retried: 1 });
    await app.until(({ userMessages }) => userMessages.length === seen + 1);
    expect(app.userMessages.at(-1)).toMatchObject({
      user: { external_id: "letter-1", traits_color: "red" },
      changes: { is_new: true, user: { traits_plan: [null, "free"] } },
    });
    expect((await operator("GET", `/dead_letters?connector_id=${id}`)).json()).toHaveLength(1);
    const discarded = await operator("POST", "/dead_letters/discard", { connector_id: id });
    expect(discarded.json()).toEqual({ discarded: 1 });
    expect((await operator("GET", `/dead_letters?connector_id=${id}`)).json()).toEqual([]);
  });

  test("a letter that is sent again has no older state than the messages that are queued before it", async () => {
    let isBroken = true;
    const { app, id } = await installed((_call, response) =>
      isBroken ? response.writeHead(400).end() && undefined : NEXT,
    );
    const user = { external_id: "late-letter" };
    await sender.send([sender.traits({ user }, { plan: "free" })]);
    await lettersOf(id, 1);
    isBroken = false;
    const seen = app.userMessages.length;
    let retrying: ReturnType<typeof operator> | undefined;
    // While messages are being queued, their lock is held.
    await muster.database.transaction(async (tx) => {
      await lockNotifyCursor(tx, muster.first.organization.id);
      let isAnswered = false;
      retrying = operator("POST", "/dead_letters/retry", { connector_id: id });
      void retrying.then(() => {
        isAnswered = true;
      });
      await vi.waitFor(async () => expect(isAnswered || (await isAnyoneWaiting())).toBe(true), PATIENCE);
      await sender.send([sender.traits({ user }, { plan: "pro" })]);
      await vi.waitFor(async () => expect(await sender.user(user)).toMatchObject({ traits_plan: "pro" }), PATIENCE);
    });
    expect((await retrying)?.json()).toEqual({ retried: 1 });
    const retried = () => app.userMessages.slice(seen).find(({ changes }) => changes.is_new);
    await app.until(() => retried() !== undefined);
    expect(retried()?.user).toMatchObject({ traits_plan: "pro" });
  });

  test("a connector does not see the dead letters of others", async () => {
    const { id } = await installed((_call, response) => response.writeHead(400).end() && undefined);
    await sender.send(users("private", 1));
    const [letter] = await lettersOf(id, 1);
    expect((await sender.call("GET", "/dead_letters")).json()).toEqual([]);
    expect((await sender.call("GET", `/dead_letters/${letter?.id}`)).statusCode).toBe(404);
  });

  test("the dead letters about an erased user are deleted", async () => {
    const { id } = await installed((_call, response) => response.writeHead(400).end() && undefined);
    await sender.settle(users("forget-me", 1));
    await lettersOf(id, 1);
    const user = await sender.user({ external_id: "forget-me-0" });
    const erased = await sender.call("DELETE", `/${user.id}`);
    await sender.waitFor(erased.json<{ position: string }>().position);
    expect((await operator("GET", `/dead_letters?entity_id=${user.id}`)).json()).toEqual([]);
  });
});

describe("a disabled connector", () => {
  test("it gets no messages, and its queue is dropped", async () => {
    const { app, id } = await installed(() => NEXT);
    await operator("PUT", `/${id}`, { enabled: false });
    await sender.settle(users("dropped", 1));
    await operator("PUT", `/${id}`, { enabled: true });
    await sender.settle(users("after", 1));
    await app.until(({ userMessages }) => userMessages.length > 0);
    expect(idsOf(app)).toEqual(["after-0"]);
  });

  test("it gets all messages later if it holds them", async () => {
    const { app, id } = await installed(() => NEXT);
    await operator("PUT", `/${id}`, { enabled: false, when_disabled: "hold" });
    await sender.settle(users("held", 2));
    expect((await operator("GET", `/${id}/delivery`)).json()).toMatchObject({ queued_messages: 2 });
    expect(app.calls).toEqual([]);
    await operator("PUT", `/${id}`, { enabled: true });
    await app.until(({ userMessages }) => userMessages.length === 2);
    expect(idsOf(app)).toEqual(["held-0", "held-1"]);
  });
});

test("the traces of a user list what was sent about it and how each call ended", async () => {
  let failures = 1;
  const { app, id, secret } = await installed((_call, response) =>
    failures-- > 0 ? response.writeHead(500).end() && undefined : NEXT,
  );
  await sender.settle(users("traced", 1));
  await app.until(({ notifications }) => notifications.length === 2);
  const user = await sender.user({ external_id: "traced-0" });
  await vi.waitFor(async () => {
    const traces = (await operator("GET", `/${user.id}/traces?connector_id=${id}`)).json();
    expect(traces).toMatchObject([
      {
        sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        connector_id: id,
        channel: "user:update",
        result: "delivered",
        status: 200,
        notification_id: app.notifications[1]?.notification_id,
        reason: "",
      },
      { result: "refused", status: 500, reason: "It answered with status 500.", duration_ms: expect.any(Number) },
    ]);
  }, 10_000);
  const itself = new Sender(muster, { id, secret });
  for (const [who, count] of [
    [itself, 2],
    [sender, 0],
  ] as const) {
    const traces = (await who.call("GET", `/${user.id}/traces?connector_id=${id}`)).json();
    const { items } = (await who.call("GET", `/${user.id}/timeline?kinds=delivery`)).json();
    const places = [...traces, ...items].map(({ connector_id }) => connector_id);
    expect(places).toEqual(Array.from({ length: 2 * count }, () => id));
  }
});

test("metrics show the queue, the lag and the outcomes of each connector", async () => {
  const { app, id } = await installed(() => NEXT);
  await sender.settle(users("measured", 3));
  await app.until(({ userMessages }) => userMessages.length === 3);
  await vi.waitFor(async () => {
    const lines = new Set((await muster.app.inject({ url: "/metrics" })).body.split("\n"));
    expect(lines).toContain(`muster_connector_messages_total{connector="${id}",outcome="delivered"} 3`);
    expect(lines).toContain(`muster_connector_queue_messages{connector="${id}"} 0`);
    expect(lines).toContain(`muster_connector_lag_seconds{connector="${id}"} 0`);
  }, PATIENCE);
});

test("messages are delivered after the clock was ahead and is set right", async () => {
  const { app } = await installed(() => NEXT);
  const trueTime = Date.now;
  const ahead = vi.spyOn(Date, "now").mockImplementation(() => trueTime() + 3_600_000);
  onTestFinished(() => ahead.mockRestore());
  await sender.send(users("ahead", 1));
  await vi.waitUntil(() => idsOf(app).includes("ahead-0"), PATIENCE);
  ahead.mockRestore();
  await sender.send(users("right", 1));
  await vi.waitUntil(() => idsOf(app).includes("right-0"), PATIENCE);
});
