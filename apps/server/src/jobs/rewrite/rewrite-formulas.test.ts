import { afterAll, beforeAll, expect, test } from "vitest";
import { ended, type JobAnswer, PATIENCE } from "../../testing/bulk.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

async function rewrite(kind: "convert" | "delete", payload: object): Promise<void> {
  const asked = await sender.call("POST", `/attributes/${kind}`, { payload: { object: "users", ...payload } });
  expect([asked.statusCode, asked.body]).toEqual([201, expect.any(String)]);
  const { status, error } = await ended(server, asked.json<JobAnswer>().id, PATIENCE);
  expect([status, error]).toEqual(["completed", null]);
}

test("a formula follows when an attribute that it reads gets another type, and when it is deleted", async () => {
  const who = { email: "ada@example.com" };
  await sender.settle([sender.traits({ user: who }, { seats: "012", plan: "pro" })]);
  for (const [name, formula] of [
    ["places", 'string(seats) + " places"'],
    ["label", 'coalesce(plan, "none")'],
  ]) {
    const payload = { target: "user", name, compute: { formula } };
    const made = await sender.call("POST", "/computed_attributes", { payload });
    expect([made.statusCode, made.body]).toEqual([201, expect.any(String)]);
  }
  await expect
    .poll(() => sender.user(who), PATIENCE)
    .toMatchObject({ traits_places: "012 places", traits_label: "pro" });
  await rewrite("convert", { name: "seats", type: "numeric" });
  expect(await sender.user(who)).toMatchObject({ traits_seats: 12, traits_places: "12 places" });
  await rewrite("delete", { name: "plan" });
  expect(await sender.user(who)).toMatchObject({ traits_label: "none" });
});
