import type { BatchEntry } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

const user = { external_id: "half" };

/** An object that `String` cannot turn into a text. */
const NO_TEXT = { toString: 1, valueOf: 1 };

test("an operation that cannot be serialised is refused alone, and a retry adds nothing a second time", async () => {
  const user = { external_id: "counted" };
  const inc = { value: 1, operation: "inc" };
  await sender.settle([
    sender.traits({ user }, { points: inc, odd: { value: 1, operation: NO_TEXT }, late: inc }),
    sender.traits({ user }, { points: inc }),
  ]);
  expect(await sender.user(user)).toMatchObject({ traits_points: 2, traits_late: 1 });
  const codes = new Set((await sender.rejected()).map(({ code }) => code));
  expect(codes).toEqual(new Set(["invalid_attribute"]));
  const retry = await sender.call("POST", "/ingestion/rejected/retry", { payload: {} });
  expect(retry.statusCode).toBe(200);
  await sender.waitFor(retry.json().position);
  expect(await sender.user(user)).toMatchObject({ traits_points: 2, traits_late: 1 });
});

test("an event whose date cannot be formatted is refused with a reason", async () => {
  await sender.settle([sender.track({ user: { external_id: "dated" } }, "Ordered", { created_at: NO_TEXT })]);
  const last = (await sender.rejected()).at(-1);
  expect(last).toMatchObject({ code: "invalid_entry", message: expect.stringContaining("cannot be read as") });
});

test.each<[string, (half: string) => BatchEntry]>([
  ["the identifier of an alias", (half) => sender.entry("alias", { user }, { anonymous_id: half })],
  ["the identifier of an unalias", (half) => sender.entry("unalias", { user }, { anonymous_id: half })],
  ["the name of an event", (half) => sender.track({ user }, half)],
  ["the id of an event", (half) => sender.track({ user }, "Halved", { event_id: half })],
])("half a surrogate pair in %s is refused at once", async (_, entryWith) => {
  const refused = ["a\ud800", "a\ud801", "a\0"].map(entryWith);
  const answer = await sender.settle([...refused, sender.traits({ user }, { after: 1 })]);
  const rejected = [0, 1, 2].map((index) => ({ index, code: "invalid_parameter" }));
  expect(answer).toMatchObject({ accepted: 1, rejected });
});

test("attributes with half a surrogate pair in an identifier or a name are refused, and the others are applied", async () => {
  const before = (await sender.rejected()).length;
  const other = { external_id: "other-half" };
  await sender.settle([
    sender.traits({ user }, { email: "a\ud800@example.com", "n\ud800": 1, kept: 1 }),
    sender.traits({ user: other }, { email: { value: "a\ud801@example.com" }, "n\ud801": 1, kept: 2 }),
  ]);
  expect(await sender.user(user)).toMatchObject({ email: null, traits_kept: 1 });
  expect(await sender.user(other)).toMatchObject({ email: null, traits_kept: 2 });
  const rejected = (await sender.rejected()).slice(before);
  expect(rejected.map(({ code }) => code)).toEqual(["invalid_attribute", "invalid_attribute"]);
});

test("event ids that are cut within a surrogate pair do not stop the pipeline", async () => {
  const long = "x".repeat(1_023);
  const events = ["\u{1f600}", "\u{2f800}"].map((end) => sender.track({ user }, "Cut", { event_id: long + end }));
  await sender.settle(events);
  expect((await sender.events({ event: "Cut" })).map(({ event_id }) => event_id)).toEqual([long]);
});

test("an identifier of somebody else is not taken by an attribute, in whatever form a connector gives it", async () => {
  const owner = { external_id: "owns", email: "owns@example.com", domain: "owns.example" };
  await sender.settle([
    sender.traits({ user: owner }, {}),
    sender.traits({ account: { domain: "owned.example" } }, { name: "Owned" }),
  ]);
  const { id } = await sender.user({ external_id: "owns" });
  const other = { anonymous_id: "takes" };
  for (const [kind, value] of Object.entries(owner)) {
    await sender.settle([sender.traits({ user: other }, { [kind]: { value } })]);
    await sender.settle([sender.traits({ user: other }, { [`traits_${kind}`]: value, [kind]: `free-${value}` })]);
    expect([kind, (await sender.user({ [kind]: value })).id]).toEqual([kind, id]);
  }
  await sender.settle([sender.traits({ account: { external_id: "takes" } }, { domain: { value: "owned.example" } })]);
  await sender.settle([sender.traits({ user: owner, account: { domain: "owned.example" } }, {})]);
  expect(await sender.user(owner)).toMatchObject({ account: { name: "Owned" } });
});
