import { createBrand } from "@muster/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../entries/entry.js";
import type { CallSender } from "./call-sender.js";
import { type CallRequest, readCall } from "./read-call.js";

const NOW = Date.parse("2026-05-01T12:00:00.000Z");
const AT = "2026-05-01T11:59:00.000Z";
const brand = createBrand("Svc");
const keyOf = (kind: "server" | "page", more: object = {}): CallSender => ({
  connectorId: "source",
  writeKey: { id: "7", kind, apps: ["com.acme.shop"], trustsIdentify: false, ...more },
  isOnPage: kind === "page",
  ip: "8.8.8.8",
  userAgent: "Firefox",
});
const SERVER = keyOf("server");
const PAGE = keyOf("page");
const TRUSTED = keyOf("page", { trustsIdentify: true });

function read(
  call: unknown,
  sender = SERVER,
  more: Partial<CallRequest> = {},
): Entry | { code: string; message: string } {
  return readCall(call, { brand, sender, receivedAtMs: NOW, shared: {}, ...more });
}

function entryOf(...given: Parameters<typeof read>): Entry {
  const entry = read(...given);
  if ("code" in entry) throw new Error(entry.message);
  return entry;
}

describe("with a server key", () => {
  test("identify sets attributes of the user whom ids and email name", () => {
    const traits = { email: "ada@example.com", firstName: "Ada", createdAt: 1_700_000_000, plan: "pro", id: "u1" };
    const call = { type: "identify", userId: "u1", anonymousId: "a1", traits, timestamp: AT };
    expect(entryOf(call)).toEqual({
      type: "traits",
      at: Date.parse(AT),
      connectorId: "source",
      subject: "user",
      user: { external_id: "u1", email: "ada@example.com", anonymous_id: "a1" },
      create: true,
      active: false,
      body: {
        email: "ada@example.com",
        first_name: "Ada",
        created_at: "2023-11-14T22:13:20.000Z",
        plan: "pro",
      },
      context: {},
    });
  });

  test("traits may be in the context, as RudderStack's libraries send them", () => {
    const call = {
      type: "identify",
      userId: "u1",
      context: { traits: { plan: "pro", seats: 1 } },
      traits: { seats: 2 },
    };
    expect(entryOf(call).body).toEqual({ plan: "pro", seats: 2 });
  });

  test("an object in traits is a value, also one that looks like an operation", () => {
    const traits = { budget: { value: 1, operation: "inc" }, address: { city: "Paris" } };
    expect(entryOf({ type: "identify", userId: "u1", traits }).body).toEqual({
      budget: { operation: "set", value: { value: 1, operation: "inc" } },
      address: { city: "Paris" },
    });
  });

  test("track becomes an event that its messageId names, with its context", () => {
    const context = {
      ip: "9.9.9.9",
      userAgent: "Chrome",
      page: { url: "https://a.example/x?utm_source=news", referrer: "https://b.example/", title: "X" },
      campaign: { source: "news" },
      library: { name: "analytics-node" },
      sessionId: 12,
      traits: { email: "ada@example.com" },
    };
    const call = { type: "track", userId: 5, event: "Ordered", properties: { total: 20 }, messageId: "m1", context };
    expect(entryOf(call)).toMatchObject({
      type: "track",
      user: { external_id: "5" },
      body: { event: "Ordered", properties: { total: 20 }, session_id: "12" },
      eventId: "source:m1",
      overwrites: true,
      once: true,
      context: {
        ip: "9.9.9.9",
        userAgent: "Chrome",
        url: "https://a.example/x?utm_source=news",
        referer: "https://b.example/",
        page: { title: "X" },
        campaign: { source: "news" },
        library: { name: "analytics-node" },
      },
    });
    expect(entryOf(call).context).not.toHaveProperty("traits");
  });

  test("a messageId that cannot be stored is none, and a long one is hashed", () => {
    const idOf = (messageId: unknown) => {
      const { eventId = "", once } = entryOf({ type: "page", userId: "u1", messageId });
      return { eventId, once };
    };
    for (const messageId of ["", "\ud800", "a\0", {}, 1e300]) expect(idOf(messageId).once).toBeUndefined();
    expect(idOf(7)).toEqual({ eventId: "source:7", once: true });
    const [one, other] = [idOf(`${"é".repeat(2_000)}1`), idOf(`${"é".repeat(2_000)}2`)];
    expect(one.eventId).toMatch(/^source:[0-9a-f]{64}$/);
    expect(one.eventId).not.toBe(other.eventId);
  });

  test("the email of a group is that of the account", () => {
    const call = { type: "group", groupId: "acme", traits: { email: "info@acme.example" } };
    expect(entryOf(call)).not.toHaveProperty("user");
  });

  test("two calls without a messageId are two events", () => {
    const call = { type: "track", userId: "u1", event: "Ordered" };
    const [one, other] = [entryOf(call), entryOf(call)];
    expect(one.eventId).not.toBe(other.eventId);
    expect(one.overwrites).toBeUndefined();
  });

  test("page and screen become events with a type, and with the name and category as properties", () => {
    const page = entryOf({ type: "page", userId: "u1", name: "Home", category: null, properties: { path: "/" } });
    expect(page.body).toEqual({ event: "Page viewed", type: "page", properties: { path: "/", name: "Home" } });
    expect(entryOf({ type: "screen", userId: "u1" }).body).toEqual({
      event: "Screen viewed",
      type: "screen",
      properties: {},
    });
  });

  test("group sets attributes of the account and links the user", () => {
    const traits = { name: "Acme", domain: "acme.example", avatar: "https://a.example/a.png" };
    expect(entryOf({ type: "group", userId: "u1", groupId: 12, traits })).toMatchObject({
      type: "traits",
      subject: "account",
      user: { external_id: "u1" },
      account: { external_id: "12", domain: "acme.example" },
      body: { name: "Acme", domain: "acme.example", picture: "https://a.example/a.png" },
    });
    expect(entryOf({ type: "group", groupId: "acme" })).not.toHaveProperty("user");
  });

  test("alias gives the user the anonymous id, and an alias to itself says nothing", () => {
    expect(entryOf({ type: "alias", userId: "u1", previousId: "a1" })).toMatchObject({
      type: "alias",
      user: { external_id: "u1" },
      body: { anonymous_id: "a1" },
    });
    expect(entryOf({ type: "alias", userId: "u1", previousId: "u1" })).toMatchObject({ type: "traits", body: {} });
  });

  test("null is the same as nothing, and an anonymousId that repeats the userId is none", () => {
    const nothing = { anonymousId: null, integrations: null, context: null, timestamp: null, properties: null };
    const entry = entryOf({ type: "track", userId: "u1", event: "Ordered", ...nothing });
    expect(entry).toMatchObject({ at: NOW, user: { external_id: "u1" }, body: { properties: {} }, context: {} });
    expect(entryOf({ type: "identify", userId: "u1", anonymousId: "u1" }).user).toEqual({ external_id: "u1" });
  });

  test.each([
    ["no object", 1, "The call is not an object."],
    ["another type", { type: "delete" }, "The call's type must be one of identify, track, page, screen, group, alias."],
    ["nobody", { type: "track", event: "Ordered" }, "The call names nobody: it needs a userId or an anonymousId."],
    ["no event", { type: "track", userId: "u1" }, "A track entry needs the name of its event."],
    ["no group", { type: "group", userId: "u1" }, "A group call needs a groupId."],
    ["half an alias", { type: "alias", userId: "u1" }, "An alias needs a userId and a previousId."],
    ["no date", { type: "page", userId: "u1", timestamp: "soon" }, "The call's timestamp is not an ISO 8601 date."],
    ["a blank id", { type: "page", userId: "  " }, "The call names nobody: it needs a userId or an anonymousId."],
    [
      "a NUL",
      { type: "page", userId: "u\0" },
      "The userId is longer than 2000 bytes, or holds a NUL character or half a surrogate pair.",
    ],
    [
      "a long id",
      { type: "page", anonymousId: "é".repeat(1_001) },
      "The anonymousId is longer than 2000 bytes, or holds a NUL character or half a surrogate pair.",
    ],
    [
      "an id that is no exact number",
      { type: "page", userId: 2 ** 60 },
      "The userId is a number that JSON does not keep exactly: send it as a text.",
    ],
  ])("a call with %s is refused", (_what, call, message) => {
    expect(read(call)).toEqual({ code: "invalid_parameter", message });
  });
});

describe("with a page key, what a call says is a hint:", () => {
  test("identify is about the visitor, and the userId is kept as an attribute that identifies nobody", () => {
    const call = { type: "identify", userId: "u1", anonymousId: "a1", traits: { email: "ada@example.com" } };
    expect(entryOf(call, PAGE)).toMatchObject({
      byEndUser: true,
      user: { anonymous_id: "a1" },
      body: { email: "ada@example.com", claimed_user_id: "u1" },
    });
  });

  test("group and alias write no account and no identifier", () => {
    const group = { type: "group", anonymousId: "a1", userId: "u1", groupId: "acme", traits: { plan: "enterprise" } };
    const said = entryOf(group, PAGE);
    expect(said).toMatchObject({ subject: "user", body: { claimed_user_id: "u1", claimed_account_id: "acme" } });
    expect(said.account).toBeUndefined();
    const alias = { type: "alias", userId: "u1", previousId: "a1" };
    expect(entryOf(alias, PAGE)).toMatchObject({
      type: "traits",
      user: { anonymous_id: "a1" },
      body: { claimed_user_id: "u1" },
    });
  });

  test("events are the visitor's, with the address of the request and an id of their own", () => {
    const call = {
      type: "track",
      event: "Ordered",
      userId: "u1",
      anonymousId: "a1",
      messageId: "m1",
      context: { ip: "1.1.1.1" },
    };
    expect(entryOf(call, PAGE)).toMatchObject({
      byEndUser: true,
      user: { anonymous_id: "a1" },
      eventId: "page 7:m1",
      context: { ip: "8.8.8.8", userAgent: "Firefox" },
    });
    // The limits of visitors count by it. It is not kept with the event when the page says so.
    const hidden = entryOf({ ...call, context: { ip: "0.0.0.0" } }, PAGE);
    expect([hidden.body.ip, hidden.context?.ip]).toEqual([null, "8.8.8.8"]);
  });

  test("a call without an anonymousId, and an event of Muster itself, are refused", () => {
    expect(read({ type: "track", event: "Ordered", userId: "u1" }, PAGE)).toMatchObject({ code: "invalid_parameter" });
    for (const sender of [PAGE, TRUSTED]) {
      const forged = { type: "track", event: "User merged", anonymousId: "a1" };
      expect(read(forged, sender)).toMatchObject({ code: "forbidden" });
    }
  });

  test("a key that its owner trusts is believed", () => {
    const call = { type: "identify", userId: "u1", anonymousId: "a1", traits: { email: "ada@example.com" } };
    const entry = entryOf(call, TRUSTED);
    expect(entry.user).toEqual({ external_id: "u1", email: "ada@example.com", anonymous_id: "a1" });
    expect(entry.byEndUser).toBeUndefined();
  });

  test("elsewhere than on a page it works in the apps that it names", () => {
    const sender = { ...PAGE, isOnPage: false };
    const from = (namespace: string | undefined) =>
      read({ type: "screen", anonymousId: "a1", context: { app: { namespace } } }, sender);
    expect(from("com.acme.shop")).toMatchObject({ type: "track" });
    expect(from("com.other")).toEqual({ code: "forbidden", message: 'This write key is not for the app "com.other".' });
    expect(from(undefined)).toMatchObject({ code: "forbidden" });
  });

  test("nothing that a page can say identifies or writes about anybody but the visitor", () => {
    const id = fc.option(fc.oneof(fc.string(), fc.integer(), fc.jsonValue()), { nil: undefined });
    const call = fc.record({
      type: fc.constantFrom("identify", "track", "page", "screen", "group", "alias"),
      event: id,
      userId: id,
      groupId: id,
      previousId: id,
      anonymousId: fc.constantFrom("a1", undefined, 5),
      traits: fc.dictionary(fc.constantFrom("email", "external_id", "id", "domain", "plan"), fc.jsonValue()),
      context: fc.record({ traits: fc.jsonValue(), ip: fc.string(), groupId: id }),
    });
    fc.assert(
      fc.property(call, (given) => {
        const entry = read(given, PAGE);
        if ("code" in entry) return;
        expect([entry.byEndUser, entry.subject, entry.account]).toEqual([true, "user", undefined]);
        expect(Object.keys(entry.user ?? {})).toEqual(["anonymous_id"]);
        expect(["traits", "track"]).toContain(entry.type);
      }),
    );
  });
});

describe("what a person has agreed to", () => {
  const consent = { categoryPreferences: { Advertising: true, "Site Analytics": false, odd: "yes" } };
  const consents = { "consents/advertising": true, "consents/site_analytics": false };

  test("comes with identify, and with the event of Segment's consent libraries, which is no event here", () => {
    const context = { consent };
    expect(entryOf({ type: "identify", userId: "u1", traits: { plan: "pro" }, context }).body).toEqual({
      plan: "pro",
      ...consents,
    });
    const choice = { type: "track", event: "Segment Consent Preference Updated", anonymousId: "a1", context };
    expect(entryOf(choice)).toMatchObject({ type: "traits", user: { anonymous_id: "a1" }, body: consents });
    expect(entryOf(choice, PAGE)).toMatchObject({ type: "traits", byEndUser: true, body: consents });
    expect(entryOf({ type: "identify", anonymousId: "a1", context }, PAGE)).toMatchObject({
      byEndUser: true,
      body: consents,
    });
    expect(entryOf({ ...choice, event: "Ordered" })).toMatchObject({ type: "track" });
  });

  test("is no for two categories of one name, unless both are agreed to", () => {
    const both = { consent: { categoryPreferences: { Ads: true, ads: false } } };
    expect(entryOf({ type: "identify", userId: "u1", context: both }).body).toEqual({ "consents/ads": false });
  });

  test("cannot be anything else than a yes or no", () => {
    for (const odd of [
      null,
      1,
      "x",
      [],
      { categoryPreferences: [true] },
      { categoryPreferences: { __proto__: null, a: {} } },
    ]) {
      const body = entryOf({ type: "identify", userId: "u1", context: { consent: odd } }).body;
      expect(Object.keys(body).filter((name) => !/^consents\/\d*$/.test(name))).toEqual([]);
    }
  });
});

describe("the time of a call", () => {
  const timeOf = (call: object, more?: Partial<CallRequest>) =>
    new Date(entryOf({ type: "page", userId: "u1", ...call }, SERVER, more).at).toISOString();

  test("is when it was received, when it says nothing", () => {
    expect(timeOf({})).toBe("2026-05-01T12:00:00.000Z");
    expect(timeOf({ sentAt: "2026-05-01T09:00:00Z" })).toBe("2026-05-01T12:00:00.000Z");
  });

  test("is corrected by how wrong the clock of the sender is, and never in the future", () => {
    expect(timeOf({ timestamp: "2026-05-01T08:59:00Z", sentAt: "2026-05-01T09:00:00Z" })).toBe(AT);
    expect(timeOf({ timestamp: "2026-05-01T13:59:00Z" }, { shared: { sentAt: "2026-05-01T14:00:00Z" } })).toBe(AT);
    expect(timeOf({ timestamp: "2026-05-01T15:00:00Z" })).toBe("2026-05-01T12:00:00.000Z");
  });

  test("is right already in a call that Segment has stored", () => {
    const stored = {
      timestamp: "2025-01-01T00:00:00Z",
      sentAt: "2025-01-01T00:00:01Z",
      receivedAt: "2025-01-01T00:00:02Z",
    };
    expect(timeOf(stored)).toBe("2025-01-01T00:00:00.000Z");
  });

  test("is read in the forms that libraries send", () => {
    expect(timeOf({ originalTimestamp: AT })).toBe(AT);
    expect(timeOf({ timestamp: Date.parse(AT) })).toBe(AT);
    expect(timeOf({ timestamp: Date.parse(AT) / 1_000 })).toBe(AT);
    expect(timeOf({ timestamp: "2026-05-01T13:59:00+02:00" })).toBe("2026-05-01T11:59:00.000Z");
    expect(timeOf({ timestamp: "2026-05-01T11:59:00.123456789Z" })).toBe("2026-05-01T11:59:00.123Z");
    expect(timeOf({ timestamp: "2015-01-01T00:00:00Z" })).toBe("2015-01-01T00:00:00.000Z");
  });
});

describe("integrations", () => {
  const withIntegrations = (integrations: unknown) => entryOf({ type: "page", userId: "u1", integrations });

  test("connectors are not told of a call that is for none of them", () => {
    expect(withIntegrations({ All: false }).quiet).toBe(true);
    expect(withIntegrations({ all: false, CRM: false }).quiet).toBe(true);
    expect(withIntegrations({ All: false, CRM: { region: "EU" } }).quiet).toBeUndefined();
    expect(withIntegrations({}).quiet).toBeUndefined();
    const ofPage = entryOf({ type: "page", anonymousId: "a1", integrations: { All: false } }, PAGE);
    expect([ofPage.quiet, ofPage.context?.integrations]).toEqual([undefined, { All: false }]);
  });

  test("which connectors may be told is kept with the event", () => {
    expect(withIntegrations({ All: false, CRM: true }).context?.integrations).toEqual({ All: false, CRM: true });
    expect(withIntegrations({ All: true, CRM: {} }).context).toEqual({});
  });
});
