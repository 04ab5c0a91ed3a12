import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { holdNewMinute } from "../../../testing/new-minute.js";
import { Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let platformId: string;

beforeAll(async () => {
  server = await openTestServer({ BROWSER_RECORDS_PER_MINUTE: "50" });
  sender = new Sender(server);
  const created = await server.app.inject({
    method: "POST",
    url: "/api/v1/platforms",
    headers: server.operatorHeaders,
    payload: { name: "Shop", domains: ["shop.test", "*.blog.test"] },
  });
  platformId = created.json<{ id: string }>().id;
});
afterAll(() => server.close());

const ORIGIN = "https://shop.test";

function post(path: string, body: object, { origin = ORIGIN, address = "192.0.2.1" } = {}) {
  return server.app.inject({
    method: "POST",
    url: `/api/v1/${platformId}${path}`,
    headers: { origin, "content-type": "text/plain;charset=UTF-8" },
    remoteAddress: address,
    payload: JSON.stringify(body),
  });
}

let visitors = 0;
function visitor() {
  visitors += 1;
  return { bid: `browser-${visitors}`, sid: "visit-1" };
}

function record(type: string, body: object, id = "one", at = new Date()) {
  return { id, type, timestamp: at.toISOString(), body };
}

const records = (who: object, batch: unknown[], more: object = {}, options = {}) =>
  post("/records", { ...who, sentAt: new Date().toISOString(), batch, ...more }, options);

describe("records of a visitor", () => {
  test("are about the user with the browser's id", async () => {
    const who = visitor();
    const answer = await records(who, [record("track", { event: "Opened" }), record("traits", { plan: "pro" }, "two")]);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { position: expect.any(String), accepted: 2, rejected: [], refused_attributes: [] },
    ]);
    expect(answer.headers["access-control-allow-origin"]).toBe(ORIGIN);
    await sender.waitFor(answer.json<{ position: string }>().position);
    expect(await sender.user({ anonymous_id: who.bid })).toMatchObject({
      anonymous_ids: [who.bid],
      traits_plan: "pro",
      latest_session_id: who.sid,
    });
  });

  test("that are sent again count once, and equal records with other ids count each", async () => {
    const who = visitor();
    const visits = { visits: { operation: "inc", value: 1 } };
    const batch = [record("traits", visits, "a"), record("traits", visits, "b")];
    for (let time = 0; time < 3; time += 1) await records(who, batch);
    const { position } = (await records(who, batch)).json<{ position: string }>();
    await sender.waitFor(position);
    expect(await sender.user({ anonymous_id: who.bid })).toMatchObject({ traits_visits: 2 });
  });

  test("that cannot be used are named, and the others are accepted", async () => {
    const answer = await records(visitor(), [
      record("track", {}),
      record("incinerate", {}),
      record("alias", { email: "victim@example.com" }),
      { ...record("traits", { a: 1 }), timestamp: "yesterday" },
      record("traits", { text: "a\u0000b" }),
      "nonsense",
      record("traits", { fine: true }, "last"),
    ]);
    expect(answer.json()).toMatchObject({ accepted: 1 });
    expect(answer.json<{ rejected: { index: number; code: string }[] }>().rejected.map(({ index }) => index)).toEqual([
      0, 1, 2, 3, 4, 5,
    ]);
  });

  test("have their times corrected by the clock of the browser", async () => {
    const who = visitor();
    const wrong = new Date(Date.now() - 7 * 24 * 60 * 60 * 1_000);
    const answer = await records(who, [record("track", { event: "Late clock" }, "x", wrong)], {
      sentAt: wrong.toISOString(),
    });
    await sender.waitFor(answer.json<{ position: string }>().position);
    const [event] = await sender.events({ event: "Late clock" });
    expect(Math.abs(Date.parse(String(event?.created_at)) - Date.now())).toBeLessThan(120_000);
  });

  test("with a token are about its user, whose browser it becomes", async () => {
    const who = visitor();
    const token = sender.token({ user: { email: "ann@example.com" } });
    const answer = await records({ ...who, access_token: token }, [record("traits", { signed: true })]);
    await sender.waitFor(answer.json<{ position: string }>().position);
    expect(await sender.user({ email: "ann@example.com" })).toMatchObject({
      anonymous_ids: [who.bid],
      traits_signed: true,
    });
  });

  test("are those of an end user also when the token has the admin scope", async () => {
    const token = sender.token({ user: { email: "boss@example.com" }, claims: { scopes: ["admin"] } });
    const batch = [record("alias", { external_id: "stolen" }), record("traits", { a: 1 }, "two")];
    const answer = await records({ ...visitor(), access_token: token }, batch);
    expect(answer.json()).toMatchObject({ accepted: 1, rejected: [{ index: 0, code: "forbidden" }] });
  });

  test.each([
    ["a token that is not valid", { access_token: "a.b.c" }, 401],
    ["a strange browser id", { bid: "a b" }, 400],
    ["no browser id", { bid: undefined }, 400],
    ["no sending time", { sentAt: undefined }, 400],
  ])("with %s are refused", async (_name, more, status) => {
    const answer = await records(visitor(), [record("traits", { a: 1 })], more);
    expect(answer.statusCode).toBe(status);
  });

  test("with a token about an account are refused", async () => {
    const token = sender.token({ account: { domain: "acme.com" } });
    expect((await records({ ...visitor(), access_token: token }, [record("traits", { a: 1 })])).statusCode).toBe(403);
  });

  test("are limited for one browser and for one address", async () => {
    holdNewMinute();
    const who = visitor();
    const many = Array.from({ length: 50 }, (_, at) => record("traits", { at }, `many-${at}`));
    const address = { address: "192.0.2.2" };
    expect((await records(who, many, {}, address)).statusCode).toBe(200);
    const refused = await records(who, [record("traits", { a: 1 })], {}, address);
    expect([refused.statusCode, Number(refused.headers["retry-after"]) > 0]).toEqual([429, true]);
    expect((await records(visitor(), [record("traits", { a: 1 })], {}, address)).statusCode).toBe(200);
    // Somebody else who has learned the id of the browser cannot use up its limit.
    expect((await records(who, [record("traits", { a: 2 })], {}, { address: "192.0.2.3" })).statusCode).toBe(200);
    for (let other = 0; other < 19; other += 1) await records(visitor(), many, {}, address);
    expect((await records(visitor(), [record("traits", { a: 1 })], {}, address)).statusCode).toBe(429);
  });
});

describe("an anonymous id in a link", () => {
  const aliasBy = (who: object, body: object) => records(who, [record("alias", body)]);
  const idsOf = async (who: { bid: string }, answer: Awaited<ReturnType<typeof aliasBy>>) => {
    await sender.waitFor(answer.json<{ position: string }>().position);
    const { anonymous_ids: ids } = await sender.user({ anonymous_id: who.bid });
    return new Set(ids as string[]);
  };

  test("that a connector has signed is one of the visitor's", async () => {
    const who = visitor();
    const token = sender.token({ user: { anonymous_id: "id-of-a-mail" } });
    const answer = await aliasBy(who, { token });
    expect([answer.statusCode, answer.json()]).toMatchObject([200, { accepted: 1, rejected: [] }]);
    expect(await idsOf(who, answer)).toEqual(new Set([who.bid, "id-of-a-mail"]));
  });

  test("is no id of a user who is signed in, unless a connector has signed it", async () => {
    const who = { ...visitor(), access_token: sender.token({ user: { email: "victim@example.com" } }) };
    const hint = await aliasBy(who, { anonymous_id: "eve-1", from: "link" });
    expect(hint.json()).toMatchObject({ accepted: 1 });
    expect(await idsOf(who, hint)).toEqual(new Set([who.bid]));
    const rejected = await server.app.inject({ url: "/api/v1/ingestion/rejected", headers: server.operatorHeaders });
    expect(rejected.body).toContain('"anonymous_id":"eve-1"');
    expect(rejected.body).toContain("An id in a link proves nothing");
    const proof = await aliasBy(who, { token: sender.token({ user: { anonymous_id: "phone-of-victim" } }) });
    expect(await idsOf(who, proof)).toEqual(new Set([who.bid, "phone-of-victim"]));
  });

  test("is marked as a hint, and a token that was refused is shown to nobody", async () => {
    const recent = () =>
      server.app.inject({ url: "/api/v1/ingestion/recent", headers: server.operatorHeaders, query: { type: "alias" } });
    await recent();
    const token = sender.token({ user: { email: "eve@example.com" } });
    await records(visitor(), [
      record("alias", { anonymous_id: "made-up", from: "link" }),
      record("alias", { token }, "two"),
    ]);
    const shown = await recent();
    expect(shown.body).not.toContain(token);
    const entries = shown.json<{ entries: { outcome: string; body: object }[] }>().entries;
    expect(entries.map(({ outcome, body }) => [outcome, body])).toEqual(
      expect.arrayContaining([
        ["accepted", { anonymous_id: "made-up", from: "link" }],
        ["refused", { token: "[private]" }],
      ]),
    );
  });

  test.each([
    ["is not valid", () => "a.b.c", "unauthorized"],
    ["signs a user in", () => sender.token({ user: { anonymous_id: "e", email: "eve@example.com" } }), "invalid_token"],
    ["is about a user by its email", () => sender.token({ user: { email: "eve@example.com" } }), "invalid_token"],
    ["is about an account", () => sender.token({ account: { domain: "acme.com" } }), "invalid_token"],
    ["has ended", () => sender.token({ user: { anonymous_id: "e" }, claims: { exp: 1_600_000_000 } }), "invalid_token"],
  ])("in a token that %s is refused, and the other records are accepted", async (_name, makeToken, code) => {
    const answer = await records(visitor(), [
      record("alias", { token: makeToken(), anonymous_id: "e" }),
      record("traits", { a: 1 }, "two"),
    ]);
    expect(answer.json()).toMatchObject({ accepted: 1, rejected: [{ index: 0, code }] });
  });
});

describe("pages of other sites", () => {
  test.each([
    ["https://shop.test", 200],
    ["http://shop.test:8080", 200],
    ["https://www.blog.test", 200],
    ["https://blog.test", 403],
    ["https://shop.test.evil.test", 403],
    ["https://evil.test", 403],
    ["null", 403],
    ["file:///shop.test", 403],
  ])("with the origin %s get %i", async (origin, status) => {
    const answer = await post("/me", visitor(), { origin });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers["access-control-allow-origin"]).toBe(status === 200 ? origin : undefined);
  });
});

describe("a refusal", () => {
  const READABLE = {
    "access-control-allow-origin": ORIGIN,
    "access-control-expose-headers": "retry-after",
    vary: expect.stringContaining("origin"),
  };

  test.each([
    ["of a body that is too large", 413, JSON.stringify({ text: "x".repeat(200_000) })],
    ["of a body that is not JSON", 400, "{"],
    ["of a body without a browser id", 400, "{}"],
  ])("%s can be read by the page", async (_name, status, payload) => {
    const answer = await server.app.inject({
      method: "POST",
      url: `/api/v1/${platformId}/records`,
      headers: { origin: ORIGIN, "content-type": "text/plain" },
      payload,
    });
    expect([answer.statusCode, answer.headers]).toEqual([status, expect.objectContaining(READABLE)]);
  });

  test("because of a limit tells the page how long to wait", async () => {
    holdNewMinute();
    const [who, address] = [visitor(), { address: "192.0.2.9" }];
    const many = Array.from({ length: 50 }, (_, at) => record("traits", { at }, `limit-${at}`));
    await records(who, many, {}, address);
    const refused = await records(who, [record("traits", { a: 1 })], {}, address);
    expect([refused.statusCode, refused.headers]).toEqual([
      429,
      expect.objectContaining({ ...READABLE, "retry-after": expect.any(String) }),
    ]);
  });

  test("of a token that is not valid can be read by the page", async () => {
    const answer = await records({ ...visitor(), access_token: "a.b.c" }, [record("traits", { a: 1 })]);
    expect([answer.statusCode, answer.headers]).toEqual([401, expect.objectContaining(READABLE)]);
  });

  test("of a platform that is gone can be read by every page, so that it does not try for ever", async () => {
    const created = await server.app.inject({
      method: "POST",
      url: "/api/v1/platforms",
      headers: server.operatorHeaders,
      payload: { name: "Gone", domains: ["shop.test"] },
    });
    const { id } = created.json<{ id: string }>();
    await server.app.inject({ method: "DELETE", url: `/api/v1/${id}`, headers: server.operatorHeaders });
    const answer = await server.app.inject({ url: `/api/v1/${id}/page`, headers: { origin: ORIGIN } });
    expect([answer.statusCode, answer.headers]).toEqual([404, expect.objectContaining(READABLE)]);
  });
});

describe("the page's configuration", () => {
  test("is kept by browsers and proxies for a minute, for each origin", async () => {
    const url = `/api/v1/${platformId}/page`;
    for (const method of ["GET", "HEAD"] as const) {
      const answer = await server.app.inject({ method, url, headers: { origin: ORIGIN } });
      expect([answer.statusCode, answer.headers]).toEqual([
        200,
        expect.objectContaining({ "cache-control": "public, max-age=60", "access-control-allow-origin": ORIGIN }),
      ]);
    }
  });

  test("is limited for one address", async () => {
    holdNewMinute();
    const address = "192.0.2.77";
    const get = () =>
      server.app.inject({ url: `/api/v1/${platformId}/page`, headers: { origin: ORIGIN }, remoteAddress: address });
    expect((await get()).statusCode).toBe(200);
    const many = Array.from({ length: 50 }, (_, at) => record("traits", { at }, `page-${at}`));
    for (let other = 0; other < 20; other += 1) await records(visitor(), many, {}, { address });
    expect((await get()).statusCode).toBe(429);
  });

  test("is the same for everybody and names nothing private", async () => {
    const answer = await server.app.inject({ url: `/api/v1/${platformId}/page`, headers: { origin: ORIGIN } });
    expect(answer.json()).toEqual({
      org: { id: expect.any(String), namespace: "default", name: expect.any(String) },
      app: expect.objectContaining({ id: platformId, name: "Shop", domains: ["shop.test", "*.blog.test"] }),
      deployments: [],
      services: { settings: {}, types: {} },
      carries_to: ["shop.test", "*.blog.test"],
    });
  });

  test("of an unknown platform is 404", async () => {
    const url = `/api/v1/${platformId.replace(/.$/, (last) => (last === "0" ? "1" : "0"))}/page`;
    expect((await server.app.inject({ url })).statusCode).toBe(404);
  });
});

describe("the script", () => {
  // The guide says 12 kB. A page loads it before its visitors see anything of it.
  test("stays small", async () => {
    const { rawPayload } = await server.app.inject({ url: "/js/latest/muster.js" });
    expect(gzipSync(rawPayload, { level: 9 }).length).toBeLessThan(11_800);
  });

  test("is kept briefly as the latest, and by its version until that is released", async () => {
    const get = (version: string) => server.app.inject({ url: `/js/${version}/muster.js` });
    const latest = await get("latest");
    expect([latest.statusCode, latest.headers["cache-control"]]).toEqual([200, "public, max-age=300"]);
    expect(latest.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    });
    const snippet = (
      await server.app.inject({ url: `/api/v1/${platformId}/snippet`, headers: server.connectorHeaders })
    ).json<{ version: string; html: string; integrity: string }>();
    const versioned = await get(snippet.version);
    expect(versioned.body).toBe(latest.body);
    // A page with the hash of a script that can still change would stop recording.
    const isReleased = String(versioned.headers["cache-control"]).includes("immutable");
    expect(snippet.html.includes(snippet.integrity)).toBe(isReleased);
    expect((await get("9.9.9")).statusCode).toBe(404);
  });
});
