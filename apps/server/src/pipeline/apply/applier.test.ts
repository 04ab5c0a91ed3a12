import { afterAll, beforeAll, expect, test } from "vitest";
import { readChangeHead, readNextChanges } from "../../storage/postgres/changes/changes.js";
import { openIdleServer } from "../../testing/idle-server.js";
import { startJourney, UNDISPUTED } from "../../testing/own-journey.js";
import { openOrganization, type Sender } from "../../testing/sender.js";
import type { TestServer } from "../../testing/test-server.js";
import type { Journey } from "../journey.js";

// No stage runs in the background: the test makes the steps itself.
let server: TestServer;
beforeAll(async () => {
  server = await openIdleServer();
});
afterAll(() => server.close());

const ALL = { changes: 100, bytes: Number.MAX_SAFE_INTEGER };

interface World {
  id: string;
  sender: Sender;
  journey: Journey;
}

async function openWorld(name: string): Promise<World> {
  const sender = await openOrganization(server, name);
  const { id } = (await sender.call("GET", "/org")).json<{ id: string }>();
  return { id, sender, journey: startJourney(server) };
}

/** Applies what waits and relays it. Returns how many users each micro-batch has changed. */
async function settle({ id, journey }: World): Promise<number[]> {
  const before = await readChangeHead(server.database, id);
  while ((await journey.apply(id, UNDISPUTED)) !== "idle") {
    while ((await journey.relay(id, UNDISPUTED)) === "worked");
  }
  return (await readNextChanges(server.database, id, before, ALL)).map(({ change }) => change.users.length);
}

/** Writes an attribute of so many users, each with an entry of its own. */
async function write({ sender }: World, users: readonly string[], attributes: Record<string, unknown>): Promise<void> {
  await sender.send(users.map((user) => sender.traits({ user: { external_id: user } }, attributes)));
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test("micro-batches about large profiles are as small as the buffer of changes needs, and grow again", async () => {
  const world = await openWorld("large");
  const users = names("large", 500);
  const text = "x".repeat(30_000);
  for (let from = 0; from < users.length; from += 50) await write(world, users.slice(from, from + 50), { text });
  await settle(world);

  await write(world, users, { plan: "free" });
  // It takes 60 MB of memory, which is more than its share. The next ones are smaller.
  expect(await settle(world)).toEqual([500]);
  await write(world, users, { plan: "pro" });
  const sizes = await settle(world);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(500);
  expect(Math.max(...sizes)).toBeLessThan(220);
  expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(180);
  expect(await world.sender.user({ external_id: "large499" })).toMatchObject({ traits_plan: "pro" });

  await write(world, names("small", 1_000), { plan: "pro" });
  const [first = 0, second = 0, third = 0] = await settle(world);
  expect([second, first + second + third]).toEqual([2 * first, 1_000]);
}, 60_000);

test("profiles of a megabyte get all that is written, in smaller micro-batches", async () => {
  const world = await openWorld("largest");
  const users = names("largest", 8);
  const texts = Object.fromEntries(names("text", 14).map((name) => [name, "x".repeat(65_000)]));
  for (const user of users) await write(world, [user], texts);
  await settle(world);

  for (const round of [1, 2]) {
    for (let value = 1; value <= 50; value++) await write(world, users, { round, value });
    const micro = await settle(world);
    expect(micro.length).toBe(round);
  }
  for (const user of users) {
    expect(await world.sender.user({ external_id: user })).toMatchObject({
      ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [`traits_${name}`, text])),
      traits_round: 2,
      traits_value: 50,
    });
  }
}, 60_000);
