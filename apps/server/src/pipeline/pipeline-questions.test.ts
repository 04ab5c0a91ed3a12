import { afterAll, beforeAll, expect, test } from "vitest";
import { previewComputed } from "../audience/computed/preview-computed.js";
import type { AskOptions } from "../storage/questions/asking.js";
import type { Questions } from "../storage/questions/questions.js";
import { openIdleServer } from "../testing/idle-server.js";
import { startJourney, UNDISPUTED } from "../testing/own-journey.js";
import { openOrganization } from "../testing/sender.js";
import type { TestServer } from "../testing/test-server.js";

// No stage runs in the background: the test makes the steps itself.
let server: TestServer;

beforeAll(async () => {
  server = await openIdleServer();
});
afterAll(() => server.close());

/** The questions of the server, and the options with which each method that clients ask too has been asked. */
function openRecorded() {
  const asked = { count: [], aggregateEvents: [], idsAfter: [] } as Record<string, (AskOptions | undefined)[]>;
  const { questions } = server;
  const recorded: Questions = {
    ...questions,
    count: (...question) => {
      asked.count?.push(question[2]);
      return questions.count(...question);
    },
    aggregateEvents: (...question) => {
      asked.aggregateEvents?.push(question[4]);
      return questions.aggregateEvents(...question);
    },
    idsAfter: (...question) => {
      asked.idsAfter?.push(question[3]);
      return questions.idsAfter(...question);
    },
  };
  return { questions: recorded, asked };
}

test("what the pipeline asks is marked as its own, and the same questions of clients are not", async () => {
  const sender = await openOrganization(server, "marked");
  const { id } = (await sender.call("GET", "/org")).json<{ id: string }>();
  const { questions, asked } = openRecorded();
  const journey = startJourney(server, { questions });
  const take = async () => {
    while ((await journey.apply(id, UNDISPUTED)) !== "idle");
    while ((await journey.relay(id, UNDISPUTED)) === "worked");
  };
  const create = async (path: string, payload: object) => {
    const created = await sender.call("POST", path, { payload });
    expect([created.statusCode, created.body]).toEqual([201, expect.any(String)]);
  };
  const lately = { event: "Order", within: "30d" };
  await create("/computed_attributes", { target: "user", name: "orders", compute: { count: lately } });
  await create("/users_segments", {
    name: "Seen lately",
    query: { range: { last_seen_at: { gte: "now-1d" } } },
    predicate: {},
  });
  await sender.send([sender.track({ user: { external_id: "ann" } }, "Order")]);
  const makeDue = async () => {
    await server.database.query("update segments set evaluated_at = evaluated_at - interval '2 hours'");
    await server.database.query("update computed_attributes set looked_at = now() - interval '2 hours'");
    journey.requestSweep(id);
    await take();
    return Object.values(asked).every((options) => options.length > 0);
  };
  await expect.poll(makeDue, { timeout: 15_000 }).toBe(true);
  for (const options of Object.values(asked)) {
    expect(options).toEqual(options.map(() => ({ isOfPipeline: true })));
    options.length = 0;
  }

  const compute = { count: lately };
  await previewComputed({ database: server.database, questions }, id, { target: "user", compute });
  expect(asked).toEqual({ count: [undefined], aggregateEvents: [undefined], idsAfter: [] });
});
