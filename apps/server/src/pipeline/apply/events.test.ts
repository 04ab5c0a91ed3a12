import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

const ann = { user: { email: "ann@example.com" } };
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

test("an event is stored and read back with every field of its record", async () => {
  const account = { domain: "acme.example" };
  const at = minutesAgo(5);
  const who = { user: { email: "full@example.com", anonymous_id: "visitor" }, account };
  const properties = { amount: 12.5, tags: ["a", "b"], nested: { deep: true }, "dotted.name": 1, none: null };
  const context = { source: "shop", type: "commerce", event_id: "order-1", session_id: "s1", ip: null, referer: null };
  await sender.settle([sender.track(who, "Ordered", { properties, ...context }, at)]);
  const user = await sender.user(who.user);
  const [event] = await sender.events({ event: "Ordered" });
  const record = {
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    event: "Ordered",
    event_id: "order-1",
    event_source: "shop",
    event_type: "commerce",
    created_at: at.toISOString(),
    user_id: user.id,
    account_id: user.account_id,
    anonymous_id: "visitor",
    session_id: "s1",
    properties,
    context: {},
  };
  expect(event).toEqual(record);
  expect(await sender.object(event?.id ?? "")).toEqual(record);
});

describe("the time of an event", () => {
  const dateOf = async (fields: Record<string, unknown>, at?: Date, options = {}) => {
    const eventId = `dated ${JSON.stringify([fields, at, options])}`;
    await sender.settle([sender.track(ann, "Dated", { event_id: eventId, ...fields }, at)], options);
    return (await sender.events({ event: "Dated" })).find(({ event_id }) => event_id === eventId)?.created_at;
  };

  test.each([
    ["2020-02-03T04:05:06.789Z", "2020-02-03T04:05:06.789Z"],
    ["2020-02-03 04:05:06+02:00", "2020-02-03T02:05:06.000Z"],
    [1_580_702_706, "2020-02-03T04:05:06.000Z"],
    ["1580702706", "2020-02-03T04:05:06.000Z"],
    ["1969-07-20T20:17:40Z", "1969-07-20T20:17:40.000Z"],
  ])("is its created_at %j, in ISO 8601 or unix seconds", async (created_at, expected) => {
    expect(await dateOf({ created_at })).toBe(expected);
  });

  test("is else the time of the record, corrected by the clock of the sender", async () => {
    const at = minutesAgo(30);
    expect(await dateOf({}, at)).toBe(at.toISOString());
    // sentAt shows that the clock is two hours slow.
    const slow = new Date(at.getTime() - 7_200_000);
    const sentAt = new Date(Date.now() - 7_200_000).toISOString();
    expect(await dateOf({}, slow, { sentAt })).toBe(at.toISOString());
  });

  test("is never in the future, also when the clock is fast", async () => {
    const before = Date.now();
    const created = await dateOf({}, new Date(Date.now() + 86_400_000));
    expect(Date.parse(created ?? "")).toBeGreaterThanOrEqual(before);
    expect(Date.parse(created ?? "")).toBeLessThanOrEqual(Date.now());
  });

  test.each(["the day before", "2020-02-30", 1e30, "9999-01-01"])(
    "must be readable: created_at %j is rejected and nothing is stored",
    async (created_at) => {
      expect(await dateOf({ created_at })).toBeUndefined();
      expect((await sender.rejected()).at(-1)).toMatchObject({
        code: "invalid_entry",
        message: expect.stringContaining("cannot be read as the event's date"),
      });
    },
  );
});

describe("a record with a known event id", () => {
  const stored = async (event_id: string) =>
    (await sender.events({ user: (await sender.user(ann.user)).id })).filter((event) => event.event_id === event_id);
  const told = (event_id: string, event: string, created_at: string, at: Date, note: string) =>
    sender.track(ann, event, { event_id, created_at, properties: { note } }, at);
  const [may, june] = ["2025-05-01T00:00:00.000Z", "2025-06-01T00:00:00.000Z"];

  test("overwrites the event: the same time, another time, another name", async () => {
    await sender.settle([told("o-1", "Shown", may, minutesAgo(9), "first")]);
    await sender.settle([told("o-1", "Shown", may, minutesAgo(8), "same time")]);
    expect(await stored("o-1")).toMatchObject([{ event: "Shown", created_at: may, properties: { note: "same time" } }]);
    await sender.settle([told("o-1", "Shown", june, minutesAgo(7), "moved")]);
    expect(await stored("o-1")).toMatchObject([{ event: "Shown", created_at: june, properties: { note: "moved" } }]);
    await sender.settle([told("o-1", "Hidden", june, minutesAgo(6), "renamed")]);
    expect(await stored("o-1")).toMatchObject([{ event: "Hidden", created_at: june, properties: { note: "renamed" } }]);
  });

  test("changes nothing when it is older than the stored event", async () => {
    await sender.settle([told("o-2", "Shown", june, minutesAgo(5), "newer")]);
    await sender.settle([told("o-2", "Hidden", may, minutesAgo(9), "older")]);
    expect(await stored("o-2")).toMatchObject([{ event: "Shown", properties: { note: "newer" } }]);
  });

  test("wins within one batch when it is newer, and may undo another record of the batch", async () => {
    await sender.settle([told("o-3", "Shown", may, minutesAgo(9), "stored")]);
    await sender.settle([
      told("o-3", "Hidden", may, minutesAgo(8), "hidden"),
      told("o-3", "Shown", may, minutesAgo(7), "shown again"),
      told("o-3", "Hidden", june, minutesAgo(8), "too old"),
    ]);
    expect(await stored("o-3")).toMatchObject([
      { event: "Shown", created_at: may, properties: { note: "shown again" } },
    ]);
  });

  test("may give the event to another user", async () => {
    await sender.settle([told("o-4", "Shown", may, minutesAgo(9), "ann's")]);
    const bob = { user: { email: "bob@example.com" } };
    await sender.settle([sender.track(bob, "Shown", { event_id: "o-4", created_at: may }, minutesAgo(8))]);
    expect(await stored("o-4")).toEqual([]);
    expect(await sender.events({ user: (await sender.user(bob.user)).id })).toHaveLength(1);
  });

  test("may give the id as a number", async () => {
    await sender.settle([sender.track(ann, "Numbered", { event_id: 42 })]);
    expect(await stored("42")).toHaveLength(1);
  });
});

describe("the context of an event", () => {
  const contextOf = async (fields: Record<string, unknown>, more: object = {}) => {
    const event_id = JSON.stringify([fields, more]);
    await sender.settle([{ ...sender.track(ann, "Placed", { event_id, ...fields }), ...more }]);
    return (await sender.events({ event: "Placed" })).find((event) => event.event_id === event_id)?.context;
  };

  test("holds the country of the address", async () => {
    expect(await contextOf({ ip: "8.8.8.8" })).toMatchObject({ ip: "8.8.8.8", location: { country: "US" } });
    expect(await contextOf({ ip: "2001:4860:4860::8888" })).toMatchObject({ location: { country: "US" } });
  });

  test.each([null, 0, "0"])("has no address and no place when the ip is %j: a server is calling", async (ip) => {
    expect(await contextOf({ ip, note: String(ip) }, { context: { ip: "8.8.8.8" } })).toEqual({});
  });

  test("holds no location for an unknown or missing address", async () => {
    expect(await contextOf({ ip: "10.0.0.1" })).toEqual({ ip: "10.0.0.1" });
    expect(await contextOf({ ip: "somewhere" })).toEqual({ ip: "somewhere" });
  });

  test("holds the page, its campaign and the referrer", async () => {
    const url = "https://shop.example/sale?utm_source=news&utm_medium=mail&utm_campaign=may&utm_term=x&utm_content=top";
    expect(await contextOf({ url, referer: "https://search.example/find?q=sale" })).toEqual({
      page: { url, host: "shop.example", path: "/sale" },
      campaign: { source: "news", medium: "mail", name: "may", term: "x", content: "top" },
      referrer: { url: "https://search.example/find?q=sale", host: "search.example", path: "/find" },
    });
    expect(await contextOf({ url: "not a url" })).toEqual({ page: { url: "not a url" } });
  });

  test("holds the parsed user agent and the context that the client sent", async () => {
    const userAgent =
      "Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.5 Mobile/15E148 Safari/604.1";
    const told = { requestId: "r-1", context: { userAgent, library: "muster-js" } };
    expect(await contextOf({}, told)).toMatchObject({
      useragent: userAgent,
      browser: { name: "Mobile Safari", version: "16.5" },
      os: { name: "iOS", version: "16.5" },
      device: { name: "iPhone", type: "mobile" },
      library: "muster-js",
      request_id: "r-1",
    });
  });
});

test("a user's sessions, address and the times it was seen are those of its events, in any order of arrival", async () => {
  const user = { external_id: "seen" };
  const at = (minutes: number) => new Date(Date.parse("2026-01-01T00:00:00Z") + minutes * 60_000);
  const visit = (minutes: number, fields: object) => sender.track({ user }, "Seen", { ...fields }, at(minutes));
  await sender.settle([visit(30, { _sid: "third", ip: null })]);
  await sender.settle([visit(20, { session_id: "second", ip: "8.8.8.8" }), visit(40, {})]);
  await sender.settle([visit(10, { _sid: "first", ip: "9.9.9.9" }), visit(0, {})]);
  expect(await sender.user(user)).toMatchObject({
    created_at: at(0).toISOString(),
    first_seen_at: at(0).toISOString(),
    last_seen_at: at(40).toISOString(),
    last_known_ip: "8.8.8.8",
    first_session_id: "first",
    latest_session_id: "third",
    signup_session_id: "first",
  });
});
