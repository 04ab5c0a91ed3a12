import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { findAll } from "../testing/find-all.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

let muster: TestServer;
let sender: Sender;
let app: ConnectorApp;

beforeAll(async () => {
  muster = await openTestServer({ DELIVERY_RETRY_MS: "20" });
  await muster.listen();
  sender = new Sender(muster);
  app = await ConnectorApp.open(smartManifest());
  await app.install(muster);
});
afterAll(async () => {
  await app.close();
  await muster.close();
});
beforeEach(() => {
  app.calls.length = 0;
});

describe("a merge", () => {
  const known = { external_id: "kept", email: "kept@example.com" };
  const visitor = { anonymous_id: "visitor", email: "visitor@example.com" };

  test("is an event in the message about the user that is left, in the form that older connectors know", async () => {
    const earlier = new Date(Date.now() - 60_000);
    await sender.settle([sender.traits({ user: known }, {}), sender.traits({ user: visitor }, {}, earlier)]);
    const { id: survivor } = await sender.user(known);
    const { id: merged } = await sender.user(visitor);
    await app.until(({ userMessages }) => userMessages.length === 2);
    app.calls.length = 0;
    await sender.settle([sender.entry("alias", { user: { external_id: "kept" } }, { email: visitor.email })]);
    await app.until(({ userMessages }) => userMessages.length === 1);
    expect(app.userMessages[0]?.events).toEqual([
      {
        event: "User merged",
        event_id: `${survivor}:${merged}:merged`,
        event_source: "svc",
        event_type: "user_merged",
        created_at: expect.any(String),
        user_id: survivor,
        anonymous_id: null,
        session_id: null,
        properties: {
          user_id: survivor,
          user_email: "kept@example.com",
          user_external_id: "kept",
          user_anonymous_ids: ["visitor"],
          merged_id: merged,
          merged_email: "visitor@example.com",
          merged_external_id: null,
          merged_anonymous_ids: ["visitor"],
          identifiers: {
            external_id: ["kept"],
            email: ["kept@example.com", "visitor@example.com"],
            anonymous_id: ["visitor"],
          },
          merged_identifiers: { email: ["visitor@example.com"], anonymous_id: ["visitor"] },
        },
        context: {},
      },
    ]);
  });

  test("is stored as an event of the platform, and found by that source", async () => {
    const { id } = await sender.user(known);
    const query = { bool: { must: [{ term: { source: "platform" } }, { term: { type: "user_merged" } }] } };
    const rows = await findAll(muster, muster.first.organization.id, "event", query);
    expect(rows.map(({ report }) => report)).toMatchObject([
      { event: "User merged", event_source: "platform", event_type: "user_merged", user_id: id },
    ]);
  });
});

describe("entering and leaving segments", () => {
  test("is one event in the message, and the changes say it as before", async () => {
    const create = async (name: string, plan: string) => {
      const payload = { name, query: { term: { traits_plan: plan } }, predicate: {} };
      return (await sender.call("POST", "/users_segments", { payload })).json<{ id: string }>().id;
    };
    const free = { id: await create("Free", "free"), name: "Free" };
    const paid = { id: await create("Paid", "paid"), name: "Paid" };
    const user = { external_id: "segmented" };
    await sender.settle([sender.traits({ user }, { plan: "free" })]);
    await sender.settle([sender.traits({ user }, { plan: "paid" }), sender.track({ user }, "Paid")]);
    await app.until(({ userMessages }) => userMessages.length === 2);
    const [first, second] = app.userMessages;
    expect(first?.events).toEqual([
      {
        event: "Segments changed",
        event_id: `${first?.message_id}:segments_changed`,
        event_source: "svc",
        event_type: "segments_changed",
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        user_id: first?.user.id,
        anonymous_id: null,
        session_id: null,
        properties: { entered: [free], left: [] },
        context: {},
      },
    ]);
    expect(second?.events.map(({ event, properties }) => ({ event, properties }))).toEqual([
      { event: "Paid", properties: {} },
      { event: "Segments changed", properties: { entered: [paid], left: [free] } },
    ]);
    expect(second?.changes.segments).toMatchObject({ entered: [paid], left: [free] });

    // The timeline has one event for each segment, as before.
    const query = { bool: { must: [{ term: { user_id: first?.user.id } }, { term: { source: "platform" } }] } };
    const rows = await findAll(muster, muster.first.organization.id, "event", query);
    const names = rows.map(({ report }) => report.event).filter((name) => name !== "attributes_changed");
    expect(names.sort()).toEqual(["Entered segment", "Entered segment", "Left segment"]);
  });
});

test.each([
  ["the name of a merge", { event: "User merged" }],
  ["the name of the event about segments", { event: "Segments changed" }],
  ["the platform's source", { event: "Looked", source: "platform" }],
  ["the brand as source", { event: "Looked", source: " Svc" }],
  ["the type of a merge", { event: "Looked", type: "user_merged" }],
  ["the type of the event about segments", { event: "Looked", type: "Segments_Changed" }],
])("an end user cannot record an event with %s", async (_what, payload) => {
  const answer = await sender.callAs({ user: { anonymous_id: "forger" } }, "POST", "/t", { payload });
  expect([answer.statusCode, answer.json().error?.code]).toEqual([403, "forbidden"]);
});
