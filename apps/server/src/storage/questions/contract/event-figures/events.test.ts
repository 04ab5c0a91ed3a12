import { createId } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownEvent } from "../../../../domain/events/own-event.js";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { evaluationOf, idOf, openOrganization } from "../organization.test.kit.js";
import { eventOf } from "../steps.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});

afterAll(() => questions.close());

const [ann, bob] = [idOf("ann"), idOf("bob")];

function noteOf(userId: string, at: string) {
  return ownEvent({
    event: "Order",
    subjectType: "user",
    subjectId: userId,
    about: "it",
    sequence: 1,
    at: Date.parse(at),
    properties: {},
  });
}

describe("a single event", () => {
  test("is found by its id, with all recorded fields", async () => {
    const organization = await openOrganization(questions);
    const at = "2024-05-01T10:00:00.123Z";
    const event = eventOf(createId("event", Date.parse(at)), ann, {
      event: "Bought",
      event_id: "given",
      event_source: "api",
      event_type: "track",
      created_at: at,
      account_id: idOf("acme"),
      anonymous_id: "anonymous",
      session_id: "session",
      entity_id: idOf("entity"),
      properties: { price: 3.5, nested: { list: [1, "two", null, { three: 3 }] }, nothing: null },
      context: { ip: "1.2.3.4", page: { url: "/" } },
    });
    await organization.write({ events: [event, eventOf(createId("event"), ann)] });
    const { origin_id: _, ...shown } = event;
    expect(await questions.findEvent(organization.id, event.id)).toMatchObject(shown);
  });

  test("is found by an id that does not contain its time", async () => {
    const organization = await openOrganization(questions);
    const ids = ["000000000000000000000000", "ffffffffffffffffffffffff", "0123456789abcdef01234567", idOf("e1")];
    await organization.write({ events: ids.map((id, index) => eventOf(id, ann, { properties: { index } })) });
    for (const [index, id] of ids.entries()) {
      expect(await questions.findEvent(organization.id, id)).toMatchObject({ id, properties: { index } });
    }
  });

  test("is not found by an unknown id", async () => {
    const organization = await openOrganization(questions);
    await organization.write({ events: [eventOf(idOf("e1"), ann)] });
    expect(await questions.findEvent(organization.id, idOf("e2"))).toBeUndefined();
    expect(await questions.findEvent(organization.id, createId("event"))).toBeUndefined();
  });
});

describe("the events of a user", () => {
  test("are counted by name, without Muster's own events", async () => {
    const organization = await openOrganization(questions);
    await organization.write({
      events: [
        eventOf(idOf("e1"), ann, { event: "Order" }),
        eventOf(idOf("e2"), ann, { event: "Order" }),
        eventOf(idOf("e3"), ann, { event: "order" }),
        eventOf(idOf("e4"), ann, { event: "Page", event_source: "" }),
        eventOf(idOf("e5"), bob, { event: "Order" }),
        noteOf(ann, "2024-06-01T00:00:00.000Z"),
      ],
      evaluation: evaluationOf("buyers", { entered: ["ann"] }),
    });
    expect((await questions.actionsOf(organization.id, ann)).counts).toEqual({ Order: 2, order: 1, Page: 1 });
    expect((await questions.actionsOf(organization.id, idOf("nobody"))).counts).toEqual({});
  });

  test("are counted by the anonymous id that they came with", async () => {
    const organization = await openOrganization(questions);
    await organization.write({
      events: [
        eventOf(idOf("e1"), ann, { anonymous_id: "laptop" }),
        eventOf(idOf("e2"), ann, { anonymous_id: "laptop" }),
        eventOf(idOf("e3"), ann, { anonymous_id: "phone \u0000\ud83d\ude00" }),
        eventOf(idOf("e4"), ann),
        eventOf(idOf("e5"), bob, { anonymous_id: "laptop" }),
        { ...noteOf(ann, "2024-06-01T00:00:00.000Z"), anonymous_id: "laptop" },
      ],
    });
    const counts = (await questions.actionsOf(organization.id, ann)).byAnonymousId;
    expect(Object.fromEntries(counts)).toEqual({ laptop: 2, "phone \u0000\ud83d\ude00": 1 });
    expect((await questions.actionsOf(organization.id, idOf("nobody"))).byAnonymousId.size).toBe(0);
  });
});

test("the events of a user that nobody has proved are left out where proof is asked for", async () => {
  const organization = await openOrganization(questions);
  const unproved = { unproved: true, useragent: "browser" };
  const order = idOf("order");
  await organization.write({
    events: [
      eventOf(idOf("e1"), ann, { anonymous_id: "laptop", context: { useragent: "browser" } }),
      eventOf(idOf("e2"), ann, { anonymous_id: "laptop", context: unproved }),
      eventOf(idOf("e3"), ann, { event: "Searched", anonymous_id: "phone", context: unproved }),
      eventOf(idOf("e4"), ann, { event: "like", entity_id: order, context: unproved }),
    ],
  });
  const proved = await questions.actionsOf(organization.id, ann, "proved");
  expect(proved).toEqual({ counts: { Order: 1 }, byAnonymousId: new Map([["laptop", 1]]), liked: 0 });
  const all = await questions.actionsOf(organization.id, ann);
  expect(all).toMatchObject({ counts: { Order: 2, Searched: 1, like: 1 }, liked: 1 });
});

describe("the events of an organization", () => {
  test("are counted by name, with the first and last time and whether Muster added some", async () => {
    const organization = await openOrganization(questions);
    await organization.write({
      events: [
        eventOf(idOf("e1"), ann, { event: "Order", created_at: "2024-03-01T00:00:00.001Z" }),
        eventOf(idOf("e2"), bob, { event: "Order", created_at: "2023-03-01T00:00:00.000Z" }),
        eventOf(idOf("e3"), bob, { event: "Page", created_at: "1969-03-01T00:00:00.000Z" }),
        noteOf(ann, "2024-06-01T00:00:00.999Z"),
      ],
    });
    const counts = await questions.countEventsByName(organization.id, ["Order", "Page", "Never"]);
    expect(await questions.countEventsByName(organization.id, ["Page"])).toMatchObject([{ event: "Page", count: 1 }]);
    expect(await questions.countEventsByName(organization.id, [])).toEqual([]);
    expect([...counts].sort((one, other) => (one.event < other.event ? -1 : 1))).toEqual([
      {
        event: "Order",
        count: 3,
        emitted: true,
        firstAt: "2023-03-01T00:00:00.000Z",
        lastAt: "2024-06-01T00:00:00.999Z",
      },
      {
        event: "Page",
        count: 1,
        emitted: false,
        firstAt: "1969-03-01T00:00:00.000Z",
        lastAt: "1969-03-01T00:00:00.000Z",
      },
    ]);
  });

  test("that are recorded again or overwritten count once", async () => {
    const organization = await openOrganization(questions);
    const event = eventOf(idOf("e1"), ann);
    await organization.write({ events: [event, eventOf(idOf("e2"), ann, { event: "Page" })] });
    await organization.write({
      events: [event],
      replaced: [{ id: idOf("e2"), event: "Page", createdAt: Date.parse(event.created_at) }],
    });
    expect(await questions.countEventsByName(organization.id, ["Order", "Page"])).toMatchObject([
      { event: "Order", count: 1 },
    ]);
  });
});
