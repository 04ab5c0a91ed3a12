import { signToken } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../../../testing/bulk.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let platformId: string;

beforeAll(async () => {
  server = await openTestServer({ BRAND: "Hull", PUBLIC_URL: "https://data.test" });
  const created = await server.app.inject({
    method: "POST",
    url: "/api/v1/platforms",
    headers: server.operatorHeaders,
    payload: { name: "Shop", domains: ["shop.test"], settings: { track_page_inits: true, color: "red" } },
  });
  platformId = created.json<{ id: string }>().id;
});
afterAll(() => server.close());

/** A call that the library makes from its frame, for a browser. */
function call(
  method: "GET" | "POST" | "PUT",
  path: string,
  options: { bid?: string; token?: string; body?: object; page?: string; headers?: Record<string, string> } = {},
) {
  const { bid, token, body, page = "https://shop.test/tea", headers } = options;
  return server.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: {
      "hull-app-id": platformId,
      ...(bid === undefined ? {} : { "hull-bid": bid, "hull-sid": "visit-1" }),
      ...(token === undefined ? {} : { "hull-access-token": token }),
      "x-track-url": page,
      "x-track-referer": "https://search.test/",
      ...headers,
    },
    ...(body ? { payload: body } : {}),
  });
}

async function find(kind: string, query: object, position: unknown) {
  const answer = await server.app.inject({
    method: "POST",
    url: `/api/v1/search/${kind}`,
    headers: { ...server.connectorHeaders, ...(typeof position === "string" ? { "hull-wait-for": position } : {}) },
    payload: { query },
  });
  return answer.json<{ data: Record<string, unknown>[] }>().data;
}

function tokenOf(email: string): string {
  const { id, secret } = server.first.connector;
  const iat = Math.floor(Date.now() / 1_000);
  return signToken({ iss: id, iat, "io.hull.subjectType": "user", "io.hull.asUser": { email } }, secret);
}

/** Opens the hidden frame in a page. */
function open(query: Record<string, string>, headers: Record<string, string> = { referer: "https://shop.test/" }) {
  return server.app.inject({
    url: `/api/v1/${platformId}/remote.html`,
    query,
    headers: { host: "default.localhost", ...headers },
  });
}
const js = "https://shop.test/hull.js";

describe("a browser with the old library", () => {
  test("records events, attributes and aliases as the visitor with its id", async () => {
    const bid = "old-browser-1";
    const tracked = await call("POST", "/t", { bid, body: { event: "Looked", properties: { tea: "green" } } });
    expect(tracked.statusCode).toBe(204);
    const set = await call("PUT", "/me/traits", { bid, body: { name: "visits", operation: "inc", value: 2 } });
    expect(set.statusCode).toBe(200);
    const aliased = await call("POST", "/me/alias", { bid, body: { anonymous_id: "old-device" } });
    expect(aliased.statusCode).toBe(200);
    const [user] = await find("user_reports", { term: { anonymous_ids: bid } }, aliased.headers["hull-position"]);
    expect(user).toMatchObject({ anonymous_ids: expect.arrayContaining([bid, "old-device"]), traits_visits: 2 });
    const [event] = await find("events", { term: { event: "Looked" } }, tracked.headers["hull-position"]);
    expect(event).toMatchObject({
      user_id: user?.id,
      anonymous_id: bid,
      session_id: "visit-1",
      context: { page: { url: "https://shop.test/tea" } },
    });
  });

  test.each([
    ["https://shop.test/?hjs_aid=eve", true],
    ["https://shop.test/?a=1&%68js_%61id=eve#x", true],
    ["https://shop.test/?HJS_AID=eve", true],
    ["https://shop.test/#/?hjs_aid=eve", true],
    ["https://shop.test/?aid=eve", false],
    ["https://shop.test/", false],
  ])("marks an alias on the page %s as one that comes from a link: %s", async (page, isMarked) => {
    const recent = () =>
      server.app.inject({ url: "/api/v1/ingestion/recent", headers: server.operatorHeaders, query: { type: "alias" } });
    await recent();
    for (const [who, options] of Object.entries({ user: { token: tokenOf("victim@example.com") }, visitor: {} })) {
      const body = { anonymous_id: `eve as ${who} ${page}` };
      const answer = await call("POST", "/me/alias", { bid: "old-browser-9", page, body, ...options });
      expect(answer.statusCode).toBe(200);
      await vi.waitFor(async () => {
        const { entries } = (await recent()).json<{ entries: { body: Record<string, unknown> }[] }>();
        const own = entries.find((entry) => entry.body.anonymous_id === body.anonymous_id);
        expect(own?.body).toEqual(isMarked ? { ...body, from: "link" } : body);
      }, PATIENCE);
    }
  });

  test("gets no id from a link on the page of a user who is signed in", async () => {
    const [bid, token] = ["old-browser-8", tokenOf("signed-in@example.com")];
    const body = { anonymous_id: "eve-by-link" };
    const answer = await call("POST", "/me/alias", {
      bid,
      token,
      body,
      page: "https://shop.test/?hjs_aid=eve-by-link",
    });
    const position = answer.headers["hull-position"];
    expect(await find("user_reports", { term: { anonymous_ids: "eve-by-link" } }, position)).toEqual([]);
    const [user] = await find("user_reports", { term: { email: "signed-in@example.com" } }, position);
    expect(user?.anonymous_ids ?? []).not.toContain("eve-by-link");
  });

  test("is nobody before it signs in, and its user afterwards", async () => {
    const bid = "old-browser-2";
    expect((await call("GET", "/me", { bid })).body).toBe("false");
    const token = tokenOf("ann@example.com");
    const login = await call("POST", "/users/login", { bid, body: { access_token: token } });
    expect(login.json()).toMatchObject({ email: "ann@example.com", access_token: expect.any(String) });
    expect(login.headers).toMatchObject({
      "hull-user-id": login.json<{ id: string }>().id,
      "hull-user-sig": expect.stringMatching(/^\d+\.[0-9a-f]{40}$/),
    });
    const me = await call("GET", "/me", { bid, token: login.json<{ access_token: string }>().access_token });
    expect(me.json()).toMatchObject({ email: "ann@example.com" });
    expect((await call("GET", "/app/settings", { bid, token })).json()).toMatchObject({ color: "red" });
    expect((await call("GET", "/logout", { bid })).statusCode).toBe(200);
  });

  test("reads no profile by its id alone", async () => {
    const bid = "old-browser-3";
    await call("POST", "/t", { bid, body: { event: "Looked" } });
    for (const path of ["/me/user_report", "/me/segments", `/${server.first.connector.id}`]) {
      expect([403, 404]).toContain((await call("GET", path, { bid })).statusCode);
    }
    expect((await call("GET", "/users_segments", { bid })).statusCode).toBe(403);
  });

  test("of an unknown platform is refused", async () => {
    const known = platformId;
    platformId = known.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    const answer = await call("POST", "/t", { bid: "x", body: { event: "Looked" } });
    platformId = known;
    expect(answer.statusCode).toBe(401);
  });

  test("with an id that is none is refused", async () => {
    expect((await call("POST", "/t", { bid: "a b", body: { event: "Looked" } })).statusCode).toBe(401);
  });

  test("without an id has the one of its cookie, or gets one", async () => {
    const first = await call("POST", "/t", { body: { event: "Left" } });
    expect(first.statusCode).toBe(204);
    const [bid, sid] = ["_bid", "_sid"].map((name) => first.cookies.find((cookie) => cookie.name === name)?.value);
    const headers = { cookie: `_bid=${bid}; _sid=${sid}`, "sec-fetch-site": "same-origin" };
    const second = await call("POST", "/t", { body: { event: "Left" }, headers });
    expect([second.statusCode, second.cookies]).toEqual([204, []]);
    const events = await find("events", { term: { event: "Left" } }, second.headers["hull-position"]);
    expect(events.map((event) => [event.anonymous_id, event.session_id])).toEqual([
      [bid, sid],
      [bid, sid],
    ]);
    expect((await call("GET", "/app/settings")).json()).toMatchObject({ color: "red" });
    expect((await call("GET", "/app")).json()).toMatchObject({ id: platformId, type: "platform" });
  });

  test("gets no other id by a cookie that a page of another website sends", async () => {
    const headers = { cookie: "_bid=of-the-victim", "sec-fetch-site": "cross-site" };
    const answer = await call("POST", "/t", { body: { event: "Forged" }, headers });
    const [event] = await find("events", { term: { event: "Forged" } }, answer.headers["hull-position"]);
    expect(event?.anonymous_id).not.toBe("of-the-victim");
  });

  test.each([
    ["POST", "/users", "do not sign up here"],
    ["POST", "/users/request_password_reset", "no passwords"],
    ["POST", "/users/request_confirmation_email", "not confirmed here"],
  ] as const)("is told why %s %s is not possible", async (method, path, reason) => {
    const answer = await call(method, path, { bid: "old-browser-5", body: { email: "ann@example.com" } });
    expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringContaining(reason)]);
    const policy = (await open({ js })).headers["content-security-policy"];
    expect(policy).toContain(`default.localhost/api/v1${path} `);
  });

  test("cannot sign in with a password", async () => {
    const answer = await call("POST", "/users/login", { bid: "b", body: { login: "ann", password: "x" } });
    expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringContaining("no passwords")]);
  });
});

describe("the hidden frame", () => {
  test("loads the library of a site of the platform, with what the library needs", async () => {
    const answer = await open({ js, url: "https://shop.test/tea", _bid: "given-bid" });
    expect(answer.statusCode).toBe(200);
    const config = /initRemote\((.*)\);<\/script>/.exec(answer.body)?.[1] ?? "";
    expect(JSON.parse(config)).toEqual({
      appId: platformId,
      appDomains: ["^https?://shop\\.test(:\\d+)?$"],
      data: {
        org: expect.objectContaining({ namespace: "default" }),
        app: expect.objectContaining({ id: platformId, type: "platform", deployments: [], track_page_inits: true }),
      },
      services: { settings: {}, types: {} },
      identify: { browser: "given-bid", session: expect.any(String) },
      location: { url: "https://shop.test/tea", referer: null },
      batching: { min: 10_000, max: 1, delay: 0 },
      is_admin: false,
    });
    expect(answer.headers["content-security-policy"]).toContain(
      "frame-ancestors http://shop.test:* https://shop.test:*",
    );
    expect(answer.headers["x-frame-options"]).toBeUndefined();
    expect(answer.cookies.map(({ name, httpOnly }) => [name, httpOnly])).toEqual([
      ["_bid", true],
      ["_sid", true],
    ]);
  });

  test.each([
    ["a page of the platform", { referer: "https://shop.test/" }, "given-bid"],
    ["a page of another website", { referer: "https://evil.test/?https://shop.test/" }, undefined],
    ["nobody knows where", {}, undefined],
  ])("keeps the id in its address when it is in %s", async (_name, headers, kept) => {
    const answer = await open({ js, _bid: "given-bid", _sid: "given-sid" }, headers as Record<string, string>);
    // Pages of other websites cannot show the frame, but their request would set the cookies.
    expect(answer.cookies.find(({ name }) => name === "_bid")?.value).toBe(kept);
  });

  test("is no page by itself: a script of a website would have the cookies of a member there", async () => {
    const openAs = (destination: string) =>
      server.app.inject({
        url: `/api/v1/${platformId}/remote.html`,
        query: { js },
        headers: { host: "default.localhost", "sec-fetch-dest": destination },
      });
    expect((await openAs("document")).statusCode).toBe(403);
    expect((await openAs("iframe")).statusCode).toBe(200);
  });

  test("knows the user of a token", async () => {
    const token = tokenOf("bob@example.com");
    await call("POST", "/users/login", { bid: "old-browser-4", body: { access_token: token } });
    expect((await open({ js, access_token: token })).body).toContain('"email":"bob@example.com"');
  });

  test("has connectors that serve purposes only for a user who has agreed to them", async () => {
    const asOperator = async (method: "POST" | "PUT", path: string, payload: object) =>
      (await server.app.inject({ method, url: `/api/v1${path}`, headers: server.operatorHeaders, payload })).json<{
        id: string;
      }>();
    await asOperator("PUT", "/purposes/marketing", {});
    const platform = await asOperator("POST", "/platforms", { name: "Blog", domains: ["shop.test"] });
    const connector = await asOperator("POST", "/connectors", { name: "Badge" });
    await asOperator("PUT", `/${connector.id}`, { purposes: ["marketing"] });
    await asOperator("POST", `/${platform.id}/deployments`, { connector_id: connector.id });
    const shownTo = async (email?: string): Promise<string[]> => {
      const answer = await server.app.inject({
        url: `/api/v1/${platform.id}/remote.html`,
        query: { js, ...(email === undefined ? {} : { access_token: tokenOf(email) }) },
        headers: { host: "default.localhost", referer: "https://shop.test/" },
      });
      const config = JSON.parse(/initRemote\((.*)\);<\/script>/.exec(answer.body)?.[1] ?? "");
      return config.data.app.deployments.map(({ ship }: { ship: { id: string } }) => ship.id);
    };
    for (const [email, agreed] of [["cleo@example.com", true] as const, ["dan@example.com", false] as const]) {
      const said = await server.app.inject({
        method: "POST",
        url: "/api/v1/me/traits",
        headers: { "hull-access-token": tokenOf(email), "hull-organization": "default" },
        payload: { "consents/marketing": agreed },
      });
      await find("user_reports", {}, said.headers["hull-position"]);
    }
    expect([await shownTo(), await shownTo("cleo@example.com"), await shownTo("dan@example.com")]).toEqual([
      [],
      [connector.id],
      [],
    ]);
    const json = await server.app.inject({ url: `/api/v1/${platform.id}/remote.json` });
    expect(json.json().app.deployments).toEqual([]);
    const page = await server.app.inject({
      url: `/api/v1/${platform.id}/page`,
      headers: { origin: "https://shop.test" },
    });
    expect(page.json().deployments).toMatchObject([{ ship: { id: connector.id, purposes: ["marketing"] } }]);
  });

  test.each(["https://evil.test/hull.js", "javascript:alert(1)", "data:text/javascript,alert(1)", "//evil.test/x.js"])(
    "does not load %s",
    async (address) => {
      expect((await open({ js: address })).statusCode).toBe(403);
    },
  );

  test("has its facts as JSON too", async () => {
    const answer = await server.app.inject({ url: `/api/v1/${platformId}/remote.json` });
    expect(answer.json()).toMatchObject({ allowed_domains: ["shop.test"], app: { id: platformId } });
  });
});
