import { isId, peekToken } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

const login = (access_token: string, headers: Record<string, string> = {}) =>
  server.app.inject({ method: "POST", url: "/api/v1/users/login", headers, payload: { access_token } });

describe("GET /me", () => {
  test("is false without a token, and for a user who is not known yet", async () => {
    const anonymous = await server.app.inject({ url: "/api/v1/me" });
    expect([anonymous.statusCode, anonymous.body]).toEqual([200, "false"]);
    const unknown = await sender.callAs({ user: { email: "unknown@example.com" } }, "GET", "/me");
    expect([unknown.statusCode, unknown.body]).toEqual([200, "false"]);
    expect(await sender.isKnown({ email: "unknown@example.com" })).toBe(false);
  });

  test("is 401 with a bad token", async () => {
    const headers = { "Svc-Access-Token": `${sender.token({ user: { email: "a@example.com" } })}x` };
    expect((await server.app.inject({ url: "/api/v1/me", headers })).statusCode).toBe(401);
  });

  test("is the complete user record, with a token that finds the same user", async () => {
    const user = { external_id: "42", email: "Full@Example.com", anonymous_id: "cookie" };
    const at = new Date(Date.now() - 3_600_000);
    const traits = {
      first_name: "Ann",
      last_name: "Lee",
      username: "annlee",
      description: "first of her name",
      phone: "+1 555 0100",
      picture: "https://img.example/ann.png",
      tags: ["vip"],
      address: { city: "Oslo" },
      plan: "pro",
      "crm/stage": "won",
    };
    await sender.settle([
      sender.traits({ user }, traits, at),
      sender.track({ user }, "Opened"),
      sender.track({ user }, "Opened"),
      sender.track({ user }, "Closed"),
    ]);
    const me = (await sender.callAs({ user }, "GET", "/me")).json();
    expect(me).toEqual({
      id: expect.toSatisfy(isId),
      type: "user",
      created_at: at.toISOString(),
      updated_at: expect.any(String),
      last_seen_at: expect.any(String),
      name: "Ann Lee",
      first_name: "Ann",
      last_name: "Lee",
      username: "annlee",
      description: "first of her name",
      email: "Full@Example.com",
      contact_email: "Full@Example.com",
      phone: "+1 555 0100",
      picture: "https://img.example/ann.png",
      tags: ["vip"],
      extra: { plan: "pro", "crm/stage": "won" },
      profile: expect.objectContaining({ first_name: "Ann" }),
      address: { city: "Oslo" },
      settings: { notifications: {} },
      stats: { actions: { Closed: 1, Opened: 2 }, liked: 0, sign_in_count: 0 },
      confirmed: false,
      is_admin: false,
      approved: true,
      main_identity: "external",
      identities: expect.any(Array),
      sign_in: null,
      access_token: expect.any(String),
    });
    expect(me.identities.map(({ provider, uid }: Record<string, string>) => [provider, uid])).toEqual([
      ["external", "42"],
      ["email", "full@example.com"],
      ["anonymous", "cookie"],
    ]);
    expect(me.identities.map(({ stats, tags }: Record<string, unknown>) => [stats, tags])).toEqual([
      [{}, ["vip"]],
      [{}, ["vip"]],
      [{ events: 3 }, ["vip"]],
    ]);
    expect(me.identities[1]).toMatchObject({
      id: expect.any(String),
      created_at: expect.any(String),
      name: "Ann Lee",
      type: "identity",
      email: "full@example.com",
      first_name: "Ann",
    });
    const headers = { "Svc-Access-Token": me.access_token };
    expect((await server.app.inject({ url: "/api/v1/me", headers })).json()).toMatchObject({ id: me.id });
    const { access_token: _token, ...record } = me;
    expect(await sender.object(me.id)).toEqual(record);
  });

  test("writes nothing: new claims of the token are not added to the user", async () => {
    const user = { email: "full@example.com", anonymous_id: "second cookie" };
    await sender.callAs({ user }, "GET", "/me");
    expect(await sender.user(user)).toMatchObject({ anonymous_ids: ["cookie"] });
  });
});

describe("GET /me/user_report", () => {
  test("is the flat report with the account inside", async () => {
    const user = { external_id: "reported" };
    await sender.settle([sender.traits({ user, account: { domain: "acme.example" } }, { name: "R", plan: "pro" })]);
    const report = (await sender.callAs({ user }, "GET", "/me/user_report?create=false")).json();
    expect(report).toMatchObject({
      name: "R",
      traits_plan: "pro",
      account_id: report.account.id,
      account: { domain: "acme.example" },
    });
    expect((await sender.call("GET", `/${report.id}/user_report`)).json()).toMatchObject({ name: "R" });
    expect((await sender.call("GET", `/${report.account.id}`)).json()).toMatchObject({
      type: "account",
      domain: "acme.example",
    });
  });

  test("is 404 when the user of the token is not known, and 401 without a token", async () => {
    const answer = await sender.callAs({ user: { email: "unknown@example.com" } }, "GET", "/me/user_report");
    expect(answer.statusCode).toBe(404);
    expect((await server.app.inject({ url: "/api/v1/me/user_report" })).statusCode).toBe(401);
  });
});

describe("signing in", () => {
  test("creates and confirms the user, counts the sign-ins and records the page", async () => {
    const user = { email: "signed-in@example.com" };
    const first = await login(sender.token({ user }), { "x-track-url": "https://shop.example/login" });
    expect(first.statusCode).toBe(200);
    const again = await login(first.json().access_token);
    expect(again.json()).toMatchObject({
      id: first.json().id,
      email: "signed-in@example.com",
      confirmed: true,
      stats: { sign_in_count: 2 },
      last_seen_at: expect.any(String),
      main_identity: server.first.connector.name,
      sign_in: { created_at: expect.any(String), app_id: server.first.connector.id, url: null },
    });
    expect(first.json().sign_in.url).toBe("https://shop.example/login");
    expect(peekToken(again.json().access_token)).toMatchObject({ sub: first.json().id });
  });

  test("is counted for each connector that issued the token, also after the user was merged", async () => {
    const shop = await server.app.inject({
      method: "POST",
      url: "/api/v1/connectors",
      headers: server.operatorHeaders,
      payload: { name: "Shop" },
    });
    const shopSender = new Sender(server, shop.json());
    await login(sender.token({ user: { email: "two-issuers@example.com" } }));
    await login(sender.token({ user: { email: "two-issuers@example.com" } }));
    const user = { external_id: "two-issuers" };
    await login(shopSender.token({ user }));
    const merged = { ...user, email: "two-issuers@example.com" };
    await sender.settle([sender.traits({ user: merged }, {})]);
    const me = (await sender.callAs({ user }, "GET", "/me")).json();
    expect(me.stats.sign_in_count).toBe(3);
    expect(me.sign_in).toMatchObject({ app_id: shop.json().id });
    expect(me.identities.slice(0, 2)).toMatchObject([
      { provider: "Shop", uid: me.id, stats: { sign_in_count: 1, last_sign_in_at: me.sign_in.created_at } },
      { provider: server.first.connector.name, stats: { sign_in_count: 2, last_sign_in_at: expect.any(String) } },
    ]);
    expect(Date.parse(me.identities[0].created_at)).toBe(Date.parse(me.sign_in.created_at));
  });

  test("is refused with a wrong token, without a token, and for accounts", async () => {
    expect((await login("nonsense")).statusCode).toBe(401);
    expect((await login(`${sender.token({ user: { email: "a@example.com" } })}x`)).statusCode).toBe(401);
    const none = await server.app.inject({ method: "POST", url: "/api/v1/users/login", payload: {} });
    expect(none.statusCode).toBe(400);
    expect((await login(sender.token({ account: { domain: "acme.example" } }))).statusCode).toBe(404);
  });

  test("does not create the user when the token says so", async () => {
    const answer = await login(sender.token({ user: { email: "uninvited@example.com" }, create: false }));
    expect(answer.statusCode).toBe(404);
    expect(await sender.isKnown({ email: "uninvited@example.com" })).toBe(false);
  });

  test("has a counterpart in GET /logout", async () => {
    expect((await server.app.inject({ url: "/api/v1/logout" })).statusCode).toBe(200);
  });
});

test("a user with a token may read only its own profile by id", async () => {
  await sender.settle(["own", "other"].map((name) => sender.traits({ user: { external_id: name } }, {})));
  const [own, other] = await Promise.all(["own", "other"].map((external_id) => sender.user({ external_id })));
  const read = (id = "") => sender.callAs({ user: { external_id: "own" } }, "GET", `/${id}`);
  expect((await read(own?.id)).json()).toMatchObject({ id: own?.id });
  expect((await read(other?.id)).statusCode).toBe(403);
});

test("users and accounts cannot be updated under /:id", async () => {
  const user = { external_id: "read-only" };
  await sender.settle([sender.traits({ user, account: { external_id: "read-only" } }, {})]);
  const { id, account_id } = await sender.user(user);
  for (const subject of [id, account_id]) {
    for (const method of ["PUT", "POST"] as const) {
      const answer = await sender.call(method, `/${subject}`, { payload: { name: "x" } });
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, "GET, DELETE"]);
    }
  }
});
