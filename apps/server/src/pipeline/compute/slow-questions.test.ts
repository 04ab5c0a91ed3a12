import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openProjectCursor } from "../../storage/postgres/changes/changes.js";
import { QuestionTimeout } from "../../storage/questions/question-timeout.js";
import { openIdleServer } from "../../testing/idle-server.js";
import { applySome, startJourney, UNDISPUTED } from "../../testing/own-journey.js";
import { openOrganization, type Sender } from "../../testing/sender.js";
import type { TestServer } from "../../testing/test-server.js";
import type { Journey, JourneyOptions } from "../journey.js";

// No stage runs in the background: the test makes the steps itself.
let server: TestServer;
let release: () => void = () => {};
let held = 0;
let gate: Promise<void> | undefined;
/** How long the questions seem to take. */
let takesMs = 0;
/** How many subjects each question was about. */
let asked: number[] = [];

beforeAll(async () => {
  server = await openIdleServer();
});
afterEach(() => {
  release();
  gate = undefined;
  held = 0;
  asked = [];
  takesMs = 0;
  vi.useRealTimers();
});
afterAll(() => server.close());

/** From now on, questions for computed values get no answer until `release`. */
function hold(error?: Error): void {
  gate = new Promise((resolve, reject) => {
    release = () => (error ? reject(error) : resolve());
  });
}

interface World {
  id: string;
  sender: Sender;
  journey(): Journey;
  take(): Promise<void>;
  /** Goes on in a process that has just started. */
  restart(): void;
  define(name: string): Promise<string>;
}

async function openWorld(name: string, compute?: JourneyOptions["compute"]): Promise<World> {
  const sender = await openOrganization(server, name);
  const { id } = (await sender.call("GET", "/org")).json<{ id: string }>();
  const { questions } = server;
  const start = () =>
    startJourney(server, {
      compute,
      questions: {
        ...questions,
        aggregateEvents: async (...question) => {
          asked.push(question[2].ids.length);
          if (takesMs > 0) vi.advanceTimersByTime(takesMs);
          if (gate) {
            held += 1;
            await gate;
          }
          return questions.aggregateEvents(...question);
        },
      },
    });
  let journey = start();
  const restart = () => {
    journey = start();
  };
  const take = async () => {
    // Another look for entries would wait for the relay while values are computed.
    while ((await journey.apply(id, UNDISPUTED)) === "worked");
    while ((await journey.relay(id, UNDISPUTED)) === "worked");
  };
  const define = async (attribute: string) => {
    const payload = { target: "user", name: attribute, compute: { count: { event: "Order" } } };
    const created = await sender.call("POST", "/computed_attributes", { payload });
    expect([created.statusCode, created.body]).toEqual([201, expect.any(String)]);
    journey.requestSweep(id);
    return created.json<{ id: string }>().id;
  };
  return { id, sender, journey: () => journey, take, restart, define };
}

const order = ({ sender }: World) => sender.send([sender.track({ user: { external_id: "ann" } }, "Order")]);
const orders = async ({ sender }: World) => (await sender.user({ external_id: "ann" })).traits_orders;

/** How many users have a value, by a search. */
async function countUsers({ sender }: World, term: object): Promise<number> {
  const found = await sender.call("POST", "/search/user_reports", { payload: { query: { term }, per_page: 0 } });
  return found.json<{ pagination: { total: number } }>().pagination.total;
}

/** A record of somebody else is taken to its end. */
async function expectRecordsGoOn(world: World, questions = 1): Promise<void> {
  const { sender, take } = world;
  expect(held).toBe(questions);
  await sender.send([sender.traits({ user: { external_id: "zoe" } }, { plan: "pro" })]);
  await take();
  expect(await countUsers(world, { plan: "pro" })).toBe(1);
  expect(held).toBe(questions);
}

const CROWD = Array.from({ length: 40 }, (_, index) => `user${index}`);

/** More users than may be due have ordered, each in a change of its own, and the question about the first of them is slow. */
async function openCrowdedWorld(name: string): Promise<World> {
  const world = await openWorld(name, { mostDue: 2 });
  const { id, sender, take, define } = world;
  await define("orders");
  await take();
  asked = [];
  hold();
  await sender.send(CROWD.map((user) => sender.track({ user: { external_id: user } }, "Order")));
  while (await applySome(server, id, 1));
  await take();
  return world;
}

async function expectAllComputed(world: World): Promise<void> {
  const { id, take } = world;
  release();
  gate = undefined;
  const isComplete = async () => {
    await take();
    const { sequence, computedUntil } = await openProjectCursor(server.database, id);
    return computedUntil === sequence;
  };
  await expect.poll(isComplete, { timeout: 30_000 }).toBe(true);
  expect(await countUsers(world, { orders: 1 })).toBe(CROWD.length);
}

test("records go on while due values are asked for, and what changes meanwhile is computed after it", async () => {
  const world = await openWorld("due");
  await world.define("orders");
  await world.take();
  hold();
  await order(world);
  await world.take();
  await expectRecordsGoOn(world);
  await order(world);
  await world.take();
  expect(await orders(world)).toBe(0);

  release();
  gate = undefined;
  await expect.poll(() => world.take().then(() => orders(world)), { timeout: 15_000 }).toBe(2);
});

test("records go on while a filling is asked for", async () => {
  const world = await openWorld("filling");
  await order(world);
  await world.take();
  hold();
  const id = await world.define("orders");
  await world.take();
  await expectRecordsGoOn(world);
  await order(world);
  await world.take();

  release();
  gate = undefined;
  await expect.poll(() => world.take().then(() => orders(world)), { timeout: 15_000 }).toBe(2);
  world.journey().requestSweep(world.id);
  await world.take();
  expect((await world.sender.call("GET", `/computed_attributes/${id}`)).json()).toMatchObject({ status: "ok" });
});

test("a definition that takes too long is broken, and says what to do", async () => {
  const world = await openWorld("slow");
  await order(world);
  await world.take();
  hold(new QuestionTimeout(30));
  const id = await world.define("orders");
  await world.take();
  await expectRecordsGoOn(world);
  release();
  const state = async () => {
    await world.take();
    return (await world.sender.call("GET", `/computed_attributes/${id}`)).json();
  };
  await expect.poll(state, { timeout: 15_000 }).toMatchObject({
    status: "broken",
    error: expect.stringMatching(/longer than 30 seconds.*Ask for less/),
  });
});

test("of those who change while very many are due, some are noted, and the others after these are computed", async () => {
  const world = await openCrowdedWorld("crowd");
  await expectRecordsGoOn(world);
  await expectAllComputed(world);
  expect(asked).toEqual([16, 16, 8]);
});

test("records go on after a restart, although very many are due and the question is slow", async () => {
  const world = await openCrowdedWorld("restart");
  world.restart();
  await world.take();
  await expectRecordsGoOn(world, 2);
  await expectAllComputed(world);
});

test("a filling whose definition is removed while it is asked for holds up no other", async () => {
  const world = await openWorld("removed");
  await order(world);
  await world.take();
  hold();
  const id = await world.define("orders");
  await world.take();
  expect((await world.sender.call("DELETE", `/computed_attributes/${id}`)).statusCode).toBe(200);
  world.journey().requestSweep(world.id);
  await world.take();
  gate = undefined;
  await world.define("others");
  await world.take();
  expect(await world.sender.user({ external_id: "ann" })).toMatchObject({ traits_others: 1 });
});

test("pages of a filling have the size that the time of one question allows", async () => {
  const world = await openWorld("pages");
  const users = Array.from({ length: 1_600 }, (_, index) => ({ user: { external_id: `user${index}` } }));
  await world.sender.send(users.map((user) => world.sender.track(user, "Order")));
  await world.take();
  vi.useFakeTimers({ toFake: ["performance"] });
  // Twice as long would be too slow.
  takesMs = 1_100;
  await world.define("orders");
  await world.take();
  expect(asked).toEqual([1_000, 600]);
});
