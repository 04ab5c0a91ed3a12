import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { readChangeHead, readNextChanges, readProjectCursor } from "../../storage/postgres/changes/changes.js";
import { organizationsWithWork } from "../../storage/postgres/ingest/apply-cursors.js";
import { openIdleServer } from "../../testing/idle-server.js";
import { applySome, startJourney, UNDISPUTED } from "../../testing/own-journey.js";
import { openOrganization, type Sender } from "../../testing/sender.js";
import type { TestServer } from "../../testing/test-server.js";
import type { Journey } from "../journey.js";

// No stage runs in the background: the test makes the steps itself, and holds the clock.
let server: TestServer;
let sender: Sender;
let id: string;
beforeAll(async () => {
  server = await openIdleServer();
  sender = await openOrganization(server, "due");
  ({ id } = (await sender.call("GET", "/org")).json());
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => server.close());

/** Sends one order, and takes everything as far as it goes now. */
async function order(journey: Journey, total: number): Promise<void> {
  await sender.send([sender.track({ user: { external_id: "ann" } }, "Order", { properties: { total } })]);
  await applySome(server, id, 100);
  await relayAll(journey);
}

async function relayAll(journey: Journey): Promise<void> {
  while ((await journey.relay(id, UNDISPUTED)) === "worked");
}

const total = async () => (await sender.user({ external_id: "ann" })).traits_total;
const head = () => readChangeHead(server.database, id);
const cursor = () => readProjectCursor(server.database, id);

test("a user is computed at once after a quiet time, then once in two seconds, and by another process if this one ends", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const created = await sender.call("POST", "/computed_attributes", {
    payload: { target: "user", name: "total", compute: { sum: { event: "Order", property: "total" } } },
  });
  expect(created.statusCode).toBe(201);
  const journey = startJourney(server);
  journey.requestSweep(id);
  await relayAll(journey);

  await order(journey, 1);
  expect(await total()).toBe(1);
  expect(await cursor()).toMatchObject({ sequence: await head(), computedUntil: await head() });

  const before = await head();
  await order(journey, 2);
  await order(journey, 3);
  expect(await total()).toBe(1);
  expect(await cursor()).toMatchObject({ sequence: before + 2, computedUntil: before });
  // A process that looks for work finds it.
  expect((await organizationsWithWork(server.database)).project).toEqual([id]);

  // A round may have been slow on a busy machine, and ten seconds are the longest pause.
  vi.setSystemTime(Date.now() + 10_000);
  await relayAll(journey);
  expect(await total()).toBe(6);
  expect(await cursor()).toMatchObject({ sequence: before + 3, computedUntil: before + 3 });
  expect((await organizationsWithWork(server.database)).project).toEqual([]);

  await order(journey, 4);
  expect(await total()).toBe(6);
  await relayAll(startJourney(server));
  expect(await total()).toBe(10);
  expect(await cursor()).toMatchObject({ sequence: await head(), computedUntil: await head() });
});

test("a page of values waits until the relay has taken two micro-batches, because all three would not fit into the buffer", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const journey = startJourney(server);
  await relayAll(journey);
  await order(journey, 5);
  expect(await total()).toBe(15);
  await order(journey, 6);
  expect(await total()).toBe(15);

  vi.setSystemTime(Date.now() + 10_000);
  const before = await head();
  for (const value of [7, 8]) {
    await sender.send([sender.track({ user: { external_id: "ann" } }, "Order", { properties: { total: value } })]);
    expect(await journey.apply(id, UNDISPUTED)).not.toBe("idle");
  }
  await journey.relay(id, UNDISPUTED);
  expect(await head()).toBe(before + 2);
  expect(await cursor()).toMatchObject({ sequence: before + 2 });
  await journey.relay(id, UNDISPUTED);
  expect(await head()).toBe(before + 3);
  expect(await total()).toBe(36);
});

test("a process that takes over finds that changes have touched nobody", async () => {
  await sender.send([sender.traits({ user: { external_id: "ann" } }, { plan: "pro" })]);
  await applySome(server, id, 100);
  await relayAll(startJourney(server));
  await server.database.query("update project_cursors set computed_until = sequence - 1 where organization_id = $1", [
    id,
  ]);
  await relayAll(startJourney(server));
  expect(await cursor()).toMatchObject({ sequence: await head(), computedUntil: await head() });
});

test("pages of values of large profiles are as small as the buffer of changes needs", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const other = await openOrganization(server, "large");
  const { id: organizationId } = (await other.call("GET", "/org")).json<{ id: string }>();
  const compute = { count: { event: "Order" } };
  await other.call("POST", "/computed_attributes", { payload: { target: "user", name: "orders", compute } });
  const journey = startJourney(server);
  journey.requestSweep(organizationId);
  const settle = async () => {
    while ((await journey.apply(organizationId, UNDISPUTED)) !== "idle");
    while ((await journey.relay(organizationId, UNDISPUTED)) === "worked");
  };
  const users = Array.from({ length: 250 }, (_, index) => ({ user: { external_id: `large${index}` } }));
  for (let from = 0; from < users.length; from += 50) {
    await other.send(users.slice(from, from + 50).map((who) => other.traits(who, { text: "x".repeat(30_000) })));
    await settle();
  }
  const pages: number[][] = [];
  for (let round = 1; round <= 2; round++) {
    const before = await readChangeHead(server.database, organizationId);
    await other.send(users.map((who) => other.track(who, "Order")));
    await settle();
    vi.setSystemTime(Date.now() + 10_000);
    await settle();
    const limits = { changes: 100, bytes: Number.MAX_SAFE_INTEGER };
    const changes = await readNextChanges(server.database, organizationId, before, limits);
    const computed = changes.map(({ change }) => change.users.filter(({ changes }) => changes.traits_orders).length);
    pages.push(computed.filter((count) => count > 0));
  }
  const [first, second = []] = pages;
  expect(first).toEqual([250]);
  expect(second.reduce((sum, count) => sum + count, 0)).toBe(250);
  expect(Math.max(...second)).toBeLessThan(220);
  expect((await other.user({ external_id: "large249" })).traits_orders).toBe(2);
}, 60_000);

test("without computed attributes, nothing is behind", async () => {
  const other = await openOrganization(server, "plain");
  const { id: organizationId } = (await other.call("GET", "/org")).json<{ id: string }>();
  await other.send([other.track({ user: { external_id: "bob" } }, "Order")]);
  await applySome(server, organizationId, 100);
  const journey = startJourney(server);
  while ((await journey.relay(organizationId, UNDISPUTED)) === "worked");
  const { sequence } = await readProjectCursor(server.database, organizationId);
  expect(sequence).toBeGreaterThan(0);
  expect(await readProjectCursor(server.database, organizationId)).toMatchObject({ computedUntil: sequence });
});
