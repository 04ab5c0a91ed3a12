import { DAY_MS, peekToken } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const MAX_DAYS = 30;

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer({ USER_TOKEN_MAX_DAYS: String(MAX_DAYS) });
  sender = new Sender(server);
  await sender.settle([sender.traits({ user }, {})]);
});
afterAll(() => server.close());

const user = { external_id: "ann" };

/** Unix seconds so many days from now. */
const inDays = (days: number) => Math.floor((Date.now() + days * DAY_MS) / 1_000);

const readMe = (token: string) => server.app.inject({ url: "/api/v1/me", headers: { "Svc-Access-Token": token } });

const signIn = (access_token: string) =>
  server.app.inject({ method: "POST", url: "/api/v1/users/login", payload: { access_token } });

/** Every way in which a caller gets a token of Muster for a given one. */
const EXCHANGES = [
  ["GET /me", readMe],
  ["POST /users/login", signIn],
] as const;

describe.each(EXCHANGES)("the token that %s answers", (_name, exchange) => {
  const exchanged = async (claims: Record<string, unknown>) => {
    const answer = await exchange(sender.token({ user, claims }));
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
    return peekToken(answer.json().access_token);
  };

  test("expires when the given one does", async () => {
    const exp = inDays(2);
    expect(await exchanged({ exp })).toMatchObject({ exp });
  });

  test("expires after the longest time since the given one was issued, also when that has no end or a later one", async () => {
    const iat = inDays(-10);
    const exp = iat + (MAX_DAYS * DAY_MS) / 1_000;
    expect(await exchanged({ iat })).toMatchObject({ exp });
    expect(await exchanged({ iat, exp: inDays(1_000) })).toMatchObject({ exp });
  });

  test("does not last longer each time it is exchanged", async () => {
    const exp = inDays(2);
    let token = sender.token({ user, claims: { exp } });
    for (const _ of [1, 2, 3]) token = (await exchange(token)).json().access_token;
    expect(peekToken(token)).toMatchObject({ exp });
  });

  test("has no admin scope", async () => {
    expect(await exchanged({ scopes: ["admin"] })).not.toHaveProperty("scopes");
  });
});

describe("a user's token that was issued too long ago, or that claims to be issued in the future,", () => {
  test.each([
    ["too long ago", -MAX_DAYS - 0.01],
    ["in the future", 2],
    ["far in the future, because of milliseconds", 400_000_000],
  ])("is refused at every door of end users: %s", async (_when, days) => {
    const iat = inDays(days);
    const headers = { "Svc-Access-Token": sender.token({ user, claims: { iat } }) };
    const calls = [
      ["GET", "/me"],
      ["GET", "/me/user_report"],
      ["GET", "/me/segments"],
      ["PUT", "/me/traits"],
      ["POST", "/t"],
      ["POST", "/me/alias"],
    ] as const;
    for (const [method, path] of calls) {
      const payload = method === "GET" ? {} : { payload: { event: "X", anonymous_id: "x" } };
      const answer = await server.app.inject({ method, url: `/api/v1${path}`, headers, ...payload });
      expect([path, answer.statusCode, answer.json().error.code]).toEqual([path, 401, "invalid_token"]);
    }
    expect((await signIn(headers["Svc-Access-Token"])).statusCode).toBe(401);
  });
});

test("a user's token is accepted up to the longest time, and when the clock of its issuer is fast", async () => {
  for (const days of [-MAX_DAYS + 0.01, 0.5]) {
    expect((await readMe(sender.token({ user, claims: { iat: inDays(days) } }))).json()).toMatchObject({
      type: "user",
    });
  }
});

test("the tokens of a connector's entries and admin tokens have no such limit", async () => {
  const old = { iat: inDays(-MAX_DAYS * 10) };
  expect(await sender.send([sender.traits({ user, claims: old }, {})])).toMatchObject({ accepted: 1 });
  const admin = await readMe(sender.token({ user, claims: { ...old, scopes: ["admin"] } }));
  expect([admin.statusCode, admin.json()]).toMatchObject([200, { type: "user" }]);
});
