import { createBrand } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Sender, type Who } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

const { headers: names } = createBrand("Svc");

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

/** Makes a call with the token of a subject and waits until the record is searchable. */
async function callAs(who: Who, method: "POST" | "PUT" | "DELETE", path: string, payload?: object, headers = {}) {
  const answer = await sender.callAs(who, method, path, { ...(payload ? { payload } : {}), headers });
  const position = answer.headers[names.position.toLowerCase()];
  if (typeof position === "string") await sender.waitFor(position);
  return answer;
}

describe("a token holder tracks", () => {
  const ann = { user: { email: "ann@example.com" } };

  test("with POST /t, which answers 204, and POST /me/track, which answers the position", async () => {
    const short = await callAs(ann, "POST", "/t", { event: "Opened", properties: { by: "t" } });
    expect([short.statusCode, short.body]).toEqual([204, ""]);
    const long = await callAs(ann, "POST", "/me/track", { event: "Opened", properties: { by: "me" } });
    expect(long.statusCode).toBe(200);
    expect(long.json()).toEqual({ position: long.headers[names.position.toLowerCase()] });
    const events = await sender.events({ event: "Opened" });
    expect(events.map(({ properties }) => properties.by).sort()).toEqual(["me", "t"]);
  });

  test("from a browser: address, agent, page and referrer come from the request unless the body has them", async () => {
    const headers = {
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
      "x-track-url": "https://shop.example/?utm_source=news",
      "x-track-referer": "https://search.example/",
    };
    await callAs(ann, "POST", "/t", { event: "Browsed" }, headers);
    await callAs(ann, "POST", "/t", { event: "Served", ip: null, url: "https://other.example/" }, headers);
    expect((await sender.events({ event: "Browsed" }))[0]?.context).toMatchObject({
      ip: "127.0.0.1",
      browser: { name: "Firefox" },
      page: { host: "shop.example" },
      campaign: { source: "news" },
      referrer: { host: "search.example" },
    });
    const served = (await sender.events({ event: "Served" }))[0]?.context;
    expect(served).toMatchObject({ page: { host: "other.example" } });
    expect(served).not.toHaveProperty("ip");
  });

  test("twice the same and makes two events, unless both calls have the same Idempotency-Key", async () => {
    for (const _ of [1, 2]) await callAs(ann, "POST", "/t", { event: "Twice" });
    for (const _ of [1, 2]) await callAs(ann, "POST", "/t", { event: "Once" }, { "idempotency-key": "k" });
    expect(await sender.events({ event: "Twice" })).toHaveLength(2);
    expect(await sender.events({ event: "Once" })).toHaveLength(1);
  });

  test("with a key that another holder or the gateway uses too, and makes an event of its own", async () => {
    const key = { "idempotency-key": "1" };
    const bob = { user: { email: "bob@example.com" } };
    await callAs(ann, "POST", "/t", { event: "Keyed" }, key);
    await callAs(bob, "POST", "/t", { event: "Keyed" }, key);
    await sender.settle([sender.track(ann, "Keyed")], { headers: key });
    expect(await sender.events({ event: "Keyed" })).toHaveLength(3);
  });

  test("and is refused without a name, for an account, and without a token", async () => {
    expect((await callAs(ann, "POST", "/t", {})).statusCode).toBe(400);
    expect((await callAs({ account: { domain: "acme.com" } }, "POST", "/t", { event: "X" })).statusCode).toBe(403);
    const anonymous = await server.app.inject({ method: "POST", url: "/api/v1/t", payload: { event: "X" } });
    expect(anonymous.statusCode).toBe(401);
    expect((await sender.call("POST", "/t", { payload: { event: "X" } })).statusCode).toBe(400);
  });
});

describe("a token holder sets attributes", () => {
  const user = { external_id: "traits" };

  test("with a flat object, by PUT or POST", async () => {
    expect((await callAs({ user }, "PUT", "/me/traits", { plan: "pro", visits: 1 })).statusCode).toBe(200);
    expect((await callAs({ user }, "POST", "/me/traits", { visits: { operation: "inc", value: 2 } })).statusCode).toBe(
      200,
    );
    expect(await sender.user(user)).toMatchObject({ traits_plan: "pro", traits_visits: 3 });
  });

  test("with exactly {name, value, operation}; with any other field beside them, these are attributes too", async () => {
    await callAs({ user }, "PUT", "/me/traits", { name: "score", value: 5 });
    await callAs({ user }, "PUT", "/me/traits", { name: "score", value: 2, operation: "dec" });
    expect(await sender.user(user)).toMatchObject({ traits_score: 3 });
    await callAs({ user }, "PUT", "/me/traits", { name: "Ann", value: 7, more: true });
    expect(await sender.user(user)).toMatchObject({ name: "Ann", traits_value: 7, traits_more: true });
    await callAs({ user }, "PUT", "/me/traits", { name: "Bea" });
    expect(await sender.user(user)).toMatchObject({ name: "Bea" });
  });

  test("of an account", async () => {
    await callAs({ account: { external_id: "acc" } }, "PUT", "/me/traits", { plan: "team" });
    await callAs({ user, account: { external_id: "acc" } }, "PUT", "/me/traits", {});
    expect(await sender.user(user)).toMatchObject({ account: { plan: "team" } });
  });
});

test("a token holder adds an anonymous id with POST /me/alias and removes it with DELETE, by body or query", async () => {
  const user = { external_id: "alias" };
  expect((await callAs({ user }, "POST", "/me/alias", { anonymous_id: "a" })).statusCode).toBe(200);
  await callAs({ user }, "POST", "/me/alias", { anonymous_id: "b" });
  expect(await sender.user(user)).toMatchObject({ anonymous_ids: ["a", "b"] });
  expect((await callAs({ user }, "DELETE", "/me/alias", { anonymous_id: "a" })).statusCode).toBe(200);
  expect((await callAs({ user }, "DELETE", "/me/alias?anonymous_id=b")).statusCode).toBe(200);
  expect(await sender.user(user)).toMatchObject({ anonymous_ids: [] });
  expect((await callAs({ user }, "POST", "/me/alias", { nickname: "a" })).statusCode).toBe(400);
});

test("a connector acts for a user with the user id header", async () => {
  await sender.settle([sender.traits({ user: { external_id: "acted-for" } }, {})]);
  const { id } = await sender.user({ external_id: "acted-for" });
  const headers = { [names.userId]: id };
  const answer = await sender.call("PUT", "/me/traits", { headers, payload: { by: "server" } });
  await sender.waitFor(answer.json().position);
  expect(await sender.user({ external_id: "acted-for" })).toMatchObject({ traits_by: "server" });
});
