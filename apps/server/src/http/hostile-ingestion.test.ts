import { gzipSync } from "node:zlib";
import { REFUSAL_STATUS, type RefusalBody, signToken } from "@muster/protocol";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NAUGHTY_STRINGS } from "../testing/naughty-strings.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const NOW = "2030-01-01T00:00:00.000Z";
const ISSUED_AT = Math.floor(Date.now() / 1_000);

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({ GATEWAY_LIMIT_BYTES: "1048576" });
});
afterAll(async () => {
  // After all of this the pipeline must still apply new entries.
  const answer = await batch([
    { type: "traits", headers: tokenHeaders({ email: "last@example.com" }), body: { still_works: 1 } },
  ]);
  expect(answer.statusCode).toBe(200);
  const headers = { ...tokenHeaders({ email: "last@example.com" }), "Svc-Wait-For": answer.json().position };
  const report = await server.app.inject({ url: "/api/v1/me/user_report", headers });
  expect(report.json()).toMatchObject({ email: "last@example.com", traits_still_works: 1 });
  await server.close();
});

function tokenHeaders(asUser: object, more: object = {}): Record<string, string> {
  const { id, secret } = server.first.connector;
  const claims = { iss: id, iat: ISSUED_AT, "io.svc.subjectType": "user", "io.svc.asUser": asUser, ...more };
  return { "Svc-Access-Token": signToken(claims, secret) };
}

function gateway(request: Partial<InjectOptions>): Promise<LightMyRequestResponse> {
  const headers = { ...server.connectorHeaders, "content-type": "application/json", ...request.headers };
  return server.app.inject({ method: "POST", url: "/firehose", ...request, headers });
}

const batch = (entries: unknown, more: object = {}) =>
  gateway({ payload: JSON.stringify({ batch: entries, timestamp: NOW, sentAt: NOW, ...more }) });

function expectRefused({ statusCode, body }: LightMyRequestResponse): void {
  expect([statusCode, body]).toEqual([expect.toSatisfy((status) => status >= 400 && status < 500), expect.any(String)]);
  const { error, status } = JSON.parse(body) as RefusalBody;
  expect(status).toBe(statusCode);
  expect(REFUSAL_STATUS[error.code]).toBe(statusCode);
}

/** Accepted or refused, but never answered with 5xx. */
function expectHandled(answer: LightMyRequestResponse): void {
  if (answer.statusCode >= 300) expectRefused(answer);
}

describe("a batch is refused", () => {
  test.each([
    null,
    1,
    "x",
    true,
    {},
    [],
    [null],
    [1],
    ["x"],
    [[]],
    [{}],
    [{ type: "traits" }],
    [{ type: "__proto__" }],
  ])("when its entries are %j", async (entries) => {
    expectRefused(await batch(entries));
  });

  test.each(["", "yesterday", null, [], {}, true, "2030-99-99T00:00:00Z"])("when it was sent at %j", async (sentAt) => {
    expectRefused(await batch([], { sentAt }));
    expectRefused(await batch([], { timestamp: sentAt }));
  });

  test.each(["br", "zstd", "gzip, gzip", "rot13", ";"])("when its encoding is %j", async (encoding) => {
    expectRefused(await gateway({ payload: "{}", headers: { "content-encoding": encoding } }));
  });

  test("when it cannot be decompressed, or is larger than allowed after decompression", async () => {
    const headers = { "content-encoding": "gzip" };
    expectRefused(await gateway({ payload: "not gzip", headers }));
    expectRefused(await gateway({ payload: gzipSync("{}").subarray(0, 12), headers }));
    const bomb = await gateway({ payload: gzipSync(Buffer.alloc(50 * 1024 * 1024, "[")), headers });
    expectRefused(bomb);
    expect(bomb.statusCode).toBe(413);
  });

  test("when it has more entries than allowed", async () => {
    expect((await batch(Array(5_001).fill(0))).statusCode).toBe(413);
  });

  test("when its only entry is nested thousands of levels deep", async () => {
    const deep = `${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`;
    const token = JSON.stringify(tokenHeaders({ email: "deep@example.com" }));
    for (const type of ["traits", "track", "alias"]) {
      const entry = `{"type":"${type}","headers":${token},"body":{"event":"e","x":${deep}}}`;
      expectRefused(await gateway({ payload: `{"timestamp":"${NOW}","sentAt":"${NOW}","batch":[${entry}]}` }));
    }
  });
});

describe.each([...NAUGHTY_STRINGS, "\ud800"])("the string %j is handled", (text) => {
  test("everywhere in an entry of a batch", async () => {
    const headers = tokenHeaders({ email: "ann@example.com" });
    const entries = [
      { type: text, headers, body: {} },
      { type: "traits", headers: { "Svc-Access-Token": text }, body: {} },
      { type: "traits", timestamp: text, headers, body: {} },
      { type: "traits", headers, body: text },
      { type: "traits", headers, body: { [text]: text, nested: { [text]: [text] } } },
      { type: "traits", headers, body: { a: { operation: text, value: text }, created_at: text, email: text } },
      {
        type: "track",
        headers,
        body: { event: text, properties: { [text]: text }, ip: text, url: text, event_id: text },
      },
      { type: "alias", headers, body: { anonymous_id: text, [text]: text } },
      { type: "unalias", headers, body: { anonymous_id: text } },
      { type: "traits", headers, body: {}, context: { [text]: text }, requestId: text },
    ];
    expectHandled(await batch(entries));
  });

  test("as an identifier, a subject and an account in a token", async () => {
    for (const headers of [
      tokenHeaders({ email: text }),
      tokenHeaders({ external_id: text, anonymous_id: text, domain: text, id: text }),
      tokenHeaders(
        { email: "bob@example.com" },
        { sub: text, "io.svc.asAccount": { domain: text, external_id: text } },
      ),
    ]) {
      expectHandled(await server.app.inject({ url: "/api/v1/me", headers }));
      expectHandled(await server.app.inject({ url: "/api/v1/me/user_report", headers }));
      expectHandled(await server.app.inject({ method: "POST", url: "/api/v1/t", headers, payload: { event: "e" } }));
    }
  });

  test("in calls with the token of a user", async () => {
    const headers = tokenHeaders({ email: "cid@example.com" });
    const call = (method: "POST" | "PUT" | "DELETE", path: string, payload: object) =>
      server.app.inject({ method, url: `/api/v1${path}`, headers, payload });
    expectHandled(await call("POST", "/t", { event: text, properties: { [text]: text } }));
    expectHandled(await call("PUT", "/me/traits", { name: text, value: text, operation: text }));
    expectHandled(await call("POST", "/me/traits", { [text]: text }));
    expectHandled(await call("POST", "/me/alias", { anonymous_id: text }));
    expectHandled(await call("DELETE", "/me/alias", { anonymous_id: text }));
    expectHandled(await call("POST", "/users/login", { access_token: text }));
  });

  test("in headers that name a position, a user or a key", async () => {
    const value = text.replace(/[^\t\x20-\x7e]/g, "").trim() || "x";
    const headers = server.connectorHeaders;
    const get = (more: Record<string, string>) =>
      server.app.inject({ url: "/api/v1/me", headers: { ...headers, ...more } });
    expectRefused(await get({ "Svc-Wait-For": value }));
    expectHandled(await get({ "Svc-User-Id": value }));
    expectHandled(await gateway({ payload: "{}", headers: { "idempotency-key": value } }));
  });
});

describe("a large batch", () => {
  const user = { email: "large@example.com" };
  const track = (properties: object) => ({
    type: "track",
    headers: tokenHeaders(user),
    body: { event: "Large", properties },
  });
  const filler = () => track({ text: "x".repeat(100_000) });

  test("is applied like a small one, and an entry that holds too much gets a verdict", async () => {
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`p${index}`, 1]));
    const answer = await batch([track({ text: 'a "quoted", [odd] \\ text' }), filler(), track(many), filler(), 1]);
    expect(answer.json()).toMatchObject({
      accepted: 3,
      rejected: [
        {
          index: 2,
          code: "payload_too_large",
          message: expect.stringContaining("An entry holds at most 20000 values"),
        },
        { index: 4, code: "invalid_parameter" },
      ],
    });
    await server.app.inject({
      url: "/api/v1/org",
      headers: { ...server.connectorHeaders, "Svc-Wait-For": answer.json().position },
    });
    const found = await server.app.inject({
      method: "POST",
      url: "/api/v1/search/events",
      headers: server.connectorHeaders,
      payload: { query: { term: { event: "Large" } } },
    });
    const texts = found.json().data.map((event: { properties: { text: string } }) => event.properties.text.length);
    expect(texts.sort()).toEqual([100_000, 100_000, 24]);
  });

  test("that is sent again gets its first answer", async () => {
    const entries = [filler(), track({ again: 1 })];
    const first = (await batch(entries)).json();
    expect((await batch(entries)).json()).toEqual({ ...first, duplicate: true });
  });

  test.each([
    ["ends inside an entry", (body: string) => body.slice(0, -20)],
    ["has a broken entry", (body: string) => body.replace('"Large"', "Large")],
    ["has a comma too many", (body: string) => body.replace("[{", "[,{")],
    ["has something after its end", (body: string) => `${body}}`],
    ["closes a bracket of another kind", (body: string) => body.replace("}]", "]]")],
  ])("is refused as a whole when it %s", async (_, broken) => {
    const body = JSON.stringify({ timestamp: NOW, sentAt: NOW, batch: [filler(), filler()] });
    const answer = await gateway({ payload: broken(body) });
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, "malformed_json"]);
  });

  test("may name its list with escapes, and of two lists the last one counts", async () => {
    const entries = JSON.stringify([filler()]);
    const payload = `{"batch":[1,2],"timestamp":"${NOW}","sentAt":"${NOW}","b\\u0061tch":${entries}}`;
    const answer = await gateway({ payload });
    expect(answer.json()).toMatchObject({ accepted: 1, rejected: [] });
  });

  test("with more entries than a batch holds, or much beside them, is refused", async () => {
    const entries = `[${"1,".repeat(200_000)}1]`;
    const many = await gateway({ payload: `{"timestamp":"${NOW}","sentAt":"${NOW}","batch":${entries}}` });
    expect(many.json().error).toMatchObject({ code: "payload_too_large", message: expect.stringContaining("200001") });
    const beside = await gateway({ payload: `{"timestamp":"${NOW}","sentAt":"${NOW}","batch":[1],"more":${entries}}` });
    expect(beside.json().error.code).toBe("payload_too_large");
  });
});

test("a body with very many values is refused before it is parsed", async () => {
  const headers = { ...server.connectorHeaders, "content-type": "application/json" };
  const payload = `{"query":{},"a":[${"[],".repeat(60_000)}[]]}`;
  const answer = await server.app.inject({ method: "POST", url: "/api/v1/search/user_reports", headers, payload });
  expect(answer.json().error).toMatchObject({
    code: "payload_too_large",
    message: expect.stringContaining("A body holds at most 20000 values"),
  });
});

test("an event of more than 128 KB is refused at every door, and one below it is stored", async () => {
  const sender = new Sender(server);
  const user = { external_id: "large" };
  const track = (length: number) => sender.track({ user }, "Large", { text: "x".repeat(length) });
  const { rejected, accepted } = await sender.send([track(131_000), track(131_072)]);
  expect([accepted, rejected]).toEqual([
    1,
    [{ index: 1, code: "invalid_parameter", message: expect.stringContaining("An event has at most 131072 bytes") }],
  ]);
  const payload = { event: "Large", properties: { text: "x".repeat(131_072) } };
  const answer = await sender.callAs({ user }, "POST", "/me/track", { payload });
  expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringContaining("at most 131072 bytes")]);
});
