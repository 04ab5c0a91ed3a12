import { createBrand } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const position = createBrand("Svc").headers.position.toLowerCase();

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer({ END_USER_NEW_ATTRIBUTES_PER_DAY: "2" });
  sender = new Sender(server);
});
afterAll(() => server.close());

const user = { external_id: "ann" };

/** Tracks events with the token of an end user, one after the other. */
async function track(by: Sender, ...names: string[]): Promise<void> {
  for (const event of names) {
    const answer = await by.callAs({ user }, "POST", "/t", { payload: { event } });
    await by.waitFor(String(answer.headers[position]));
  }
}

const listed = async (by: Sender) =>
  (await by.call("GET", "/search/event/bootstrap")).json<{ name: string }[]>().map(({ name }) => name);

test("end users add so many event names a day to the list, and their other events are stored all the same", async () => {
  await track(sender, "one", "two", "three", "one");
  expect(await listed(sender)).toEqual(["one", "two"]);
  expect(await sender.events({ event: "three" })).toHaveLength(1);
  expect(await sender.rejected()).toEqual([]);
});

test("a name that a connector sends is listed, and does not use up the allowance of end users", async () => {
  const globex = await openOrganization(server, "globex");
  await globex.settle(["a", "b", "c"].map((name) => globex.track({ user }, name)));
  await track(globex, "d", "e", "f");
  expect(await listed(globex)).toEqual(["a", "b", "c", "d", "e"]);
  await globex.settle([globex.track({ user }, "f")]);
  expect(await listed(globex)).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test("the next day has an allowance of its own", async () => {
  const initech = await openOrganization(server, "initech");
  await track(initech, "a", "b", "c");
  await server.database.query("update new_name_counts set day = day - interval '1 day'");
  await track(initech, "c");
  expect(await listed(initech)).toEqual(["a", "b", "c"]);
});
