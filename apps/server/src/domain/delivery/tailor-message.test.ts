import { describe, expect, test } from "vitest";
import type { StoredUpdate } from "./message.js";
import type { Subscription } from "./subscription.js";
import { isWanted, tailorMessage } from "./tailor-message.js";

const EVENT = {
  event_id: "e",
  event_source: "",
  event_type: "track",
  created_at: "2026-01-01T00:00:00.000Z",
  user_id: "u",
  anonymous_id: null,
  session_id: null,
  properties: {},
  context: {},
};

function update(given: Partial<Omit<StoredUpdate, "changes">> & { changes?: Partial<StoredUpdate["changes"]> }) {
  const { changes, ...rest } = given;
  const message: StoredUpdate = {
    message_id: "m",
    kind: "user",
    entity: { id: "u" },
    segment_ids: [],
    ...rest,
    changes: { is_new: false, attributes: {}, segments: { entered: [], left: [] }, ...changes },
  };
  return message;
}

function subscription(given: Partial<Subscription>): Subscription {
  return { connectorName: "CRM", url: "/notify", channels: undefined, filters: {}, events: undefined, ...given };
}

/** Whether a message is sent, and what it says about the filter. */
function outcome(message: StoredUpdate, given: Partial<Subscription>): { isSent: boolean; matchesFilter: unknown } {
  const subscribed = subscription(given);
  const tailored = tailorMessage(message, subscribed, new Map(), "svc") as { matchesFilter: boolean };
  return { isSent: isWanted(message, subscribed), matchesFilter: tailored.matchesFilter };
}

describe("a subscription that is filtered by segments", () => {
  test("gets those who pass, and matchesFilter says so", () => {
    expect(outcome(update({ segment_ids: ["a"] }), { filters: { user: new Set(["a"]) } })).toEqual({
      isSent: true,
      matchesFilter: true,
    });
    expect(outcome(update({ segment_ids: ["a"] }), { filters: { user: new Set() } }).isSent).toBe(false);
  });

  test("gets those who have just left, and matchesFilter is false", () => {
    const left = update({ changes: { segments: { entered: [], left: ["a"] } } });
    expect(outcome(left, { filters: { user: new Set(["a"]) } })).toEqual({ isSent: true, matchesFilter: false });
    const attributes: StoredUpdate["changes"]["attributes"] = { email: [null, "ada@example.com"] };
    const known = update({ entity: { id: "u", email: "ada@example.com" }, changes: { attributes } });
    expect(outcome(known, { filters: { user: new Set(["ANONYMOUS"]) } })).toEqual({
      isSent: true,
      matchesFilter: false,
    });
  });

  test("takes an account with a domain for an identified one", () => {
    const account = update({ kind: "account", entity: { id: "a", domain: "example.com" } });
    expect(outcome(account, { filters: { account: new Set(["IDENTIFIED"]) } }).isSent).toBe(true);
    expect(outcome(account, { filters: { account: new Set(["ANONYMOUS"]) } }).isSent).toBe(false);
  });
});

describe("a subscription that wants certain events", () => {
  const looked = [{ ...EVENT, event: "Looked" }];
  const moved = { segments: { entered: ["a"], left: [] } };

  test("is told that a user or its account entered a segment, also beside an event that it does not want", () => {
    const events = new Set(["HULL_ENTER_SEGMENT"]);
    const user = update({ events: looked, changes: moved });
    expect(outcome(user, { events }).isSent).toBe(true);
    expect(tailorMessage(user, subscription({ events }), new Map(), "svc")).toMatchObject({ events: [] });
    const account = { entity: { id: "a" }, segment_ids: ["a"], attributes: {}, ...moved };
    expect(outcome(update({ events: looked, account }), { events }).isSent).toBe(true);
    expect(outcome(update({ events: looked }), { events }).isSent).toBe(false);
  });
});

test("an event is told to the connectors that its sender names, and a message without one is not sent for it", () => {
  const events = [
    { ...EVENT, event: "Looked" },
    { ...EVENT, event: "Paid", context: { integrations: { CRM: false } } },
  ];
  const told = (message: StoredUpdate, connectorName: string) => {
    const subscribed = subscription({ connectorName });
    const { events: sent } = tailorMessage(message, subscribed, new Map(), "svc") as { events: { event: string }[] };
    return [isWanted(message, subscribed), sent.map(({ event }) => event)];
  };
  expect(told(update({ events }), "CRM")).toEqual([true, ["Looked"]]);
  expect(told(update({ events }), "Mail")).toEqual([true, ["Looked", "Paid"]]);
  expect(told(update({ events: events.slice(1) }), "CRM")).toEqual([false, []]);
});
