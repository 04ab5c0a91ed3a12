import { accountMessage, segmentRecord, userMessage } from "@muster/connector/testing";
import { describe, expect, test } from "vitest";
import { accountEvents } from "./account-events.js";
import { traitsOf } from "./traits.js";
import { userEvents } from "./user-events.js";

const vip = segmentRecord({ id: "s1", name: "VIP customers" });
const other = segmentRecord({ id: "s2", name: "Others" });
const settings = {
  audiences: new Map([["s1", { segmentId: "s1", key: "vip_customers", externalId: "audience-1" }]]),
  audienceSettings: { ttl: 3 },
  isBatch: false,
  now: new Date("2026-01-01T00:00:00.000Z"),
};
const ada = { id: "u1", external_id: "ada", email: "ada@example.com", traits_plan: "pro", "traits_crm/stage": "won" };

describe("a message about a user", () => {
  test("becomes an identify when attributes have changed, with groups of attributes as objects", () => {
    const [event, ...others] = userEvents(
      userMessage({ user: ada, changes: { user: { traits_plan: ["free", "pro"] } } }),
      settings,
    );
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: "identify",
      userId: "ada",
      traits: { email: "ada@example.com", plan: "pro", crm: { stage: "won" } },
    });
    expect(event?.traits).not.toHaveProperty("external_id");
  });

  test("becomes nothing when nothing has changed", () => {
    expect(userEvents(userMessage({ user: ada }), settings)).toEqual([]);
  });

  test("becomes a group when the account has changed, and names the account in all events", () => {
    const message = userMessage({
      user: ada,
      account: { id: "a1", external_id: "acme", name: "Acme" },
      changes: { is_new: true },
    });
    const [identify, group] = userEvents(message, settings);
    expect(identify?.context.groupId).toBe("acme");
    expect(group).toMatchObject({ type: "group", groupId: "acme", userId: "ada", traits: { name: "Acme" } });
  });

  test("tells of entering and leaving a segment that was chosen by its name, and of no other", () => {
    const changes = { segments: { entered: [vip, other], left: [vip] } };
    const [entered, left, ...others] = userEvents(userMessage({ user: ada, changes }), settings);
    expect(others).toEqual([]);
    expect(entered).toMatchObject({
      type: "track",
      event: "Audience Entered",
      properties: { audience_key: "vip_customers", vip_customers: true },
      context: {
        personas: {
          computation_class: "audience",
          computation_key: "vip_customers",
          external_audience_id: "audience-1",
          audience_settings: { ttl: 3 },
        },
      },
    });
    expect(left).toMatchObject({ event: "Audience Exited", properties: { vip_customers: false } });
    expect(entered?.messageId).not.toBe(left?.messageId);
  });

  test("tells only of leaving when the user has left the chosen segments", () => {
    const changes = { is_new: true, segments: { entered: [], left: [vip] } };
    const events = userEvents(userMessage({ user: ada, matchesFilter: false, changes }), settings);
    expect(events.map(({ event }) => event)).toEqual(["Audience Exited"]);
  });

  test("tells of all segments of the user in an export", () => {
    const events = userEvents(userMessage({ user: ada, segments: [vip, other] }), { ...settings, isBatch: true });
    expect(events.map(({ type, event }) => event ?? type)).toEqual(["identify", "Audience Entered"]);
  });
});

test("a message about an account becomes a group without a user", () => {
  const [event] = accountEvents(
    accountMessage({ account: { id: "a1", name: "Acme" }, changes: { is_new: true } }),
    settings,
  );
  expect(event).toMatchObject({ type: "group", groupId: "a1", traits: { name: "Acme" } });
  expect(event).not.toHaveProperty("userId");
});

test("an attribute with the name of a group keeps its value, and the grouped one its whole name", () => {
  expect(traitsOf({ traits_crm: "yes", "traits_crm/stage": "won" })).toEqual({ crm: "yes", "crm/stage": "won" });
});
