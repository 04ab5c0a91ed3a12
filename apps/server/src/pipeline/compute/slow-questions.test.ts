import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { QuestionTimeout } from "../../storage/questions/question-timeout.js";
import { openIdleServer } from "../../testing/idle-server.js";
import { startJourney, UNDISPUTED } from "../../testing/own-journey.js";
import { openOrganization, type Sender } from "../../testing/sender.js";
import type { TestServer } from "../../testing/test-server.js";
import type { Journey } from "../journey.js";

// No stage runs in the background: the test makes the steps itself.
let server: TestServer;
let release: () => void = () => {};
let held = 0;
let gate: Promise<void> | undefined;

beforeAll(async () => {
  server = await openIdleServer();
});
afterEach(() => {
  release();
  gate = undefined;
  held = 0;
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
  journey: Journey;
  take(): Promise<void>;
  define(name: string): Promise<string>;
}

async function openWorld(name: string): Promise<World> {
  const sender = await openOrganization(server, name);
  const { id } = (await sender.call("GET", "/org")).json<{ id: string }>();
  const { questions } = server;
  const journey = startJourney(server, {
    questions: {
      ...questions,
      aggregateEvents: async (...question) => {
        if (gate) {
          held += 1;
          await gate;
        }
        return questions.aggregateEvents(...question);
      },
    },
  });
  const take = async () => {
    while ((await journey.apply(id, UNDISPUTED)) !== "idle");
    while ((await journey.relay(id, UNDISPUTED)) === "worked");
  };
  const define = async (attribute: string) => {
    const payload = { target: "user", name: attribute, compute: { count: { event: "Order" } } };
    const created = await sender.call("POST", "/computed_attributes", { payload });
    expect([created.statusCode, created.body]).toEqual([201, expect.any(String)]);
    journey.requestSweep(id);
    return created.json<{ id: string }>().id;
  };
  return { id, sender, journey, take, define };
}

const order = ({ sender }: World) => sender.send([sender.track({ user: { external_id: "ann" } }, "Order")]);
const orders = async ({ sender }: World) => (await sender.user({ external_id: "ann" })).traits_orders;

/** A record of somebody else is taken to its end. */
async function expectRecordsGoOn({ sender, take }: World): Promise<void> {
  expect(held).toBe(1);
  await sender.send([sender.traits({ user: { external_id: "bob" } }, { plan: "pro" })]);
  await take();
  expect(await sender.user({ external_id: "bob" })).toMatchObject({ traits_plan: "pro" });
  expect(held).toBe(1);
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
  world.journey.requestSweep(world.id);
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
