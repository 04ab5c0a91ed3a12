import { REFUSAL_STATUS, type RefusalBody } from "@muster/protocol";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NAUGHTY_STRINGS } from "../testing/naughty-strings.js";
import { rawRequest } from "../testing/raw-request.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const BODY_LIMIT = 64 * 1_024;

let server: TestServer;
let host: string;
let credentials: string;
beforeAll(async () => {
  server = await openTestServer({ BODY_LIMIT_BYTES: String(BODY_LIMIT), REQUEST_TIMEOUT_MS: "700" });
  await server.listen();
  host = new URL(server.url).host;
  credentials = Object.entries(server.connectorHeaders)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
});
afterAll(async () => {
  // After all of this the server must still work.
  const answer = await fetch(`${server.url}/api/v1/app`, { headers: server.connectorHeaders });
  expect(answer.status).toBe(200);
  await server.close();
});

function expectRefusal(status: number, text: string): void {
  expect([status, text]).toEqual([expect.toSatisfy((value) => value >= 400 && value < 500), expect.any(String)]);
  const body = JSON.parse(text) as RefusalBody;
  expect(REFUSAL_STATUS[body.error.code]).toBe(status);
  expect(body).toEqual({
    error: { code: body.error.code, message: body.message, details: expect.any(Array) },
    message: expect.stringMatching(/\S/),
    status,
  });
}

async function expectRefused(request: InjectOptions): Promise<void> {
  const headers = { ...server.connectorHeaders, ...request.headers };
  const answer = await server.app.inject({ ...request, headers });
  expectRefusal(answer.statusCode, answer.body);
}

async function expectRawRefused(bytes: string | Buffer): Promise<void> {
  const answer = await rawRequest(server.url, bytes);
  expectRefusal(answer.status, answer.body);
}

const connectorId = () => server.first.connector.id;
const json = (payload: string): InjectOptions => ({ payload, headers: { "content-type": "application/json" } });

describe.each(NAUGHTY_STRINGS)("the string %j is refused", (text) => {
  test("as an id in the path", async () => {
    await expectRefused({ url: `/api/v1/${encodeURIComponent(text)}` });
    await expectRefused({ method: "DELETE", url: `/api/v1/${encodeURIComponent(text)}` });
    await expectRefused({ url: `/api/v1/${encodeURIComponent(text)}/comments` });
  });

  test("as the id of something to change", async () => {
    const payload = { status: "ok", messages: [], text: "x", settings: {} };
    await expectRefused({ method: "PUT", url: `/api/v1/${encodeURIComponent(text)}`, payload });
    await expectRefused({ method: "PUT", url: `/api/v1/${encodeURIComponent(text)}/status`, payload });
    await expectRefused({ method: "POST", url: `/api/v1/${encodeURIComponent(text)}/comments`, payload });
  });

  test("as a page number", async () => {
    await expectRefused({ url: `/api/v1/${connectorId()}/comments?page=${encodeURIComponent(text)}` });
  });

  test("as a page size, raw and as a nested key", async () => {
    const encoded = encodeURIComponent(text);
    await expectRefused({ url: `/api/v1/${connectorId()}/comments?per_page=${encoded}&per_page=${encoded}` });
  });

  test("as credentials in the query", async () => {
    const answer = await server.app.inject(
      `/api/v1/app?id=${encodeURIComponent(text)}&secret=${encodeURIComponent(text)}`,
    );
    expectRefusal(answer.statusCode, answer.body);
  });

  test("as a status", async () => {
    await expectRefused({ method: "PUT", url: "/api/v1/app/status", payload: { status: text, messages: [] } });
  });

  test("as settings, messages and names of the wrong type", async () => {
    await expectRefused({ method: "PUT", url: "/api/v1/app", payload: { settings: text } });
    await expectRefused({ method: "PUT", url: "/api/v1/app/status", payload: { status: "ok", messages: text } });
    const headers = server.operatorHeaders;
    await expectRefused({ method: "POST", url: "/api/v1/organizations", payload: { namespace: `-${text}` }, headers });
  });
});

describe("as a header value", () => {
  const sendable = NAUGHTY_STRINGS.filter((text) => /^[\t\x20-\x7e]+$/.test(text) && text.trim() !== "");
  test.each(sendable)("%j is refused", async (text) => {
    await expectRefused({ url: "/api/v1/app", headers: { "Svc-Access-Token": text } });
    await expectRefused({ url: "/api/v1/app", headers: { "Svc-App-Id": text } });
    await expectRefused({ url: "/api/v1/app", headers: { authorization: `Bearer ${text}` } });
    await expectRefused({ method: "PUT", url: "/api/v1/app", payload: "{}", headers: { "content-type": text } });
  });
});

describe("a body", () => {
  test.each([
    "{",
    "}",
    "[",
    "{]",
    '{"a":}',
    '{"a" 1}',
    "{'a':1}",
    '{"a":1,}',
    "{a:1}",
    "nul",
    "undefined",
    "NaN",
    "Infinity",
    "0x1",
    '"unterminated',
    '"\\x"',
    '"\\u12"',
    '{"a":1}{"b":2}',
    "\u0000",
    "\ufeff{",
    "",
    " ",
    "<xml/>",
    "a=1&b=2",
  ])("that is not JSON is refused: %j", async (payload) => {
    await expectRefused({ method: "PUT", url: "/api/v1/app", ...json(payload) });
  });

  test.each(["null", "1", "true", '"text"', "[]", "[{}]"])("that is not an object is refused: %s", async (payload) => {
    await expectRefused({ method: "PUT", url: "/api/v1/app/status", ...json(payload) });
    await expectRefused({ method: "POST", url: `/api/v1/${connectorId()}/comments`, ...json(payload) });
    // Here `null` is allowed: it changes nothing.
    if (payload !== "null") await expectRefused({ method: "PUT", url: "/api/v1/app", ...json(payload) });
  });

  test.each([
    {},
    { status: "ok" },
    { messages: [] },
    { status: null, messages: [] },
    { status: ["ok"], messages: [] },
    { status: { $ne: 1 }, messages: [] },
    { status: "OK", messages: [] },
    { status: "ok", messages: [1] },
    { status: "ok", messages: [["x"]] },
    { status: "ok", messages: { 0: "x" } },
    { status: "ok", messages: ["x".repeat(10_001)] },
    { status: "ok", messages: Array(101).fill("x") },
  ])("with the wrong types is refused: %j", async (payload) => {
    await expectRefused({ method: "PUT", url: "/api/v1/app/status", payload });
  });

  test.each([1, true, [], {}, null, ["x"], "", "x".repeat(20_001)])("with the text %j is refused", async (text) => {
    await expectRefused({ method: "POST", url: `/api/v1/${connectorId()}/comments`, payload: { text } });
  });

  test.each([
    '{"settings":{"kept":1,"__proto__":{"admin":true}}}',
    '{"__proto__":{"admin":true},"settings":{"kept":1}}',
    '{"settings":{"kept":1,"constructor":{"prototype":{"admin":true}}}}',
  ])("with a key that would change a prototype loses only that key: %s", async (payload) => {
    const headers = { ...server.connectorHeaders, "content-type": "application/json" };
    const answer = await server.app.inject({ method: "PUT", url: "/api/v1/app", headers, payload });
    expect([answer.statusCode, answer.json<{ settings: unknown }>().settings]).toEqual([200, { kept: 1 }]);
    expect(answer.body).not.toContain("admin");
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test.each([
    ["arrays", "[".repeat(20_000) + "]".repeat(20_000)],
    ["objects", `${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`],
  ])("of thousands of nested %s is refused", async (_kind, deep) => {
    for (const payload of [deep, `{"settings":{"deep":${deep}}}`, `{"private_settings":{"deep":${deep}}}`]) {
      await expectRefused({ method: "PUT", url: "/api/v1/app", ...json(payload) });
    }
  });

  test.each(["\\u0000", "a\\u0000b", "\\ud800", "\\udc00\\ud800"])(
    "with text that the database cannot store is refused: %s",
    async (text) => {
      const comments = `/api/v1/${connectorId()}/comments`;
      await expectRefused({ method: "POST", url: comments, ...json(`{"text":"${text}"}`) });
      await expectRefused({ method: "PUT", url: "/api/v1/app", ...json(`{"settings":{"a":["${text}"]}}`) });
      await expectRefused({ method: "PUT", url: "/api/v1/app", ...json(`{"settings":{"${text}":1}}`) });
      await expectRefused({
        method: "PUT",
        url: "/api/v1/app/status",
        ...json(`{"status":"ok","messages":["${text}"]}`),
      });
    },
  );

  test.each([
    "text/plain",
    "text/html",
    "application/xml",
    "multipart/form-data; boundary=x",
    "application/octet-stream",
    "application/jsonp",
    "application/json2",
    "json",
    "image/png",
    "application/x-www-form-urlencoded",
    "; charset=utf-8",
    "*/*",
  ])("of type %s is refused", async (type) => {
    await expectRefused({ method: "PUT", url: "/api/v1/app", payload: "{}", headers: { "content-type": type } });
  });

  test("that is too large is refused, by its Content-Length and by the bytes that arrive", async () => {
    const payload = JSON.stringify({ settings: { a: "x".repeat(BODY_LIMIT) } });
    await expectRefused({ method: "PUT", url: "/api/v1/app", ...json(payload) });
    const head = `PUT /api/v1/app HTTP/1.1\r\nHost: ${host}\r\n${credentials}Content-Type: application/json\r\n`;
    await expectRawRefused(`${head}Content-Length: 99999999\r\n\r\n{`);
    const chunk = `${(BODY_LIMIT + 2).toString(16)}\r\n"${"x".repeat(BODY_LIMIT)}"\r\n0\r\n\r\n`;
    await expectRawRefused(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`);
  });

  test("that does not arrive in time is refused", async () => {
    const head = `PUT /api/v1/app HTTP/1.1\r\nHost: ${host}\r\n${credentials}Content-Type: application/json\r\n`;
    const answer = await rawRequest(server.url, `${head}Content-Length: 100\r\n\r\n{"settings"`);
    expectRefusal(answer.status, answer.body);
    expect(answer.status).toBe(408);
  });
});

describe("over a real socket", () => {
  test.each([
    "//api/v1/app",
    "///",
    "/api//v1//app",
    "/api/v1/app/../../../etc/passwd",
    "/api/v1/../../etc/passwd",
    "/api/v1/%2e%2e/%2e%2e/etc/passwd",
    "/api/v1/%2E%2E%2fetc%2fpasswd",
    "/api/v1/..%5c..%5cetc",
    "/api/v1/%00",
    "/api/v1/app%00",
    "/api/v1/app%00.json",
    "/api/v1/%",
    "/api/v1/%zz",
    "/api/v1/%c0%ae%c0%ae",
    "/api/v1/%ff%fe",
    "/api/v1/%u0041",
    "/%",
    "/api/v1/app;jsessionid=1",
    "/api/v1/app%2f",
    "/api/v1/app%20",
    "/api/v1/App",
    "/API/V1/app",
    "/api/v2/app",
    "/api/v1/.env",
    "/.git/config",
    "/wp-login.php",
    "/metrics/../api/v1/%",
    `/api/v1/${"a".repeat(3_000)}`,
    `/api/v1/${"a/".repeat(2_000)}`,
    "/api/v1/{id}",
    "/api/v1/:id",
    "/api/v1/*",
    "*",
    "api/v1/app",
    "http://evil.example/api/v1/nothing",
    "http://[::1",
    "?",
    "#",
  ])("the path %s is refused", async (path) => {
    await expectRawRefused(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${credentials}\r\n`);
  });

  test.each(["TRACE", "FOO", "get", "PROPFIND", "CONNECT", "PATCH"])("the method %s is refused", async (method) => {
    await expectRawRefused(`${method} /api/v1/app HTTP/1.1\r\nHost: ${host}\r\n${credentials}\r\n`);
  });

  test.each<[string, string]>([
    ["garbage", "\u0001\u0002\u0003\u0004\r\n\r\n"],
    ["a TLS greeting", "\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\u0000\u00a1\u0003\u0003\r\n\r\n"],
    ["another protocol", "HELO example.com\r\n\r\n"],
    ["another version of HTTP", "GET /api/v1/app HTTP/9.9\r\nHost: x\r\n\r\n"],
    ["no version of HTTP", "GET /api/v1/app\r\n\r\n"],
    ["a header without a name", "GET /api/v1/app HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n"],
    ["a header with a space in its name", "GET /api/v1/app HTTP/1.1\r\nHost: x\r\nA B: y\r\n\r\n"],
    ["a header with a NUL", "GET /api/v1/app HTTP/1.1\r\nHost: x\r\nA: \u0000\r\n\r\n"],
    ["a folded header", "GET /api/v1/app HTTP/1.1\r\nHost: x\r\nA: 1\r\n 2\r\n\r\n"],
    ["headers of 40 KB", `GET /api/v1/app HTTP/1.1\r\nHost: x\r\nA: ${"x".repeat(40_000)}\r\n\r\n`],
    ["5,000 headers", `GET /api/v1/app HTTP/1.1\r\nHost: x\r\n${"A: b\r\n".repeat(5_000)}\r\n`],
    ["a path of 40 KB", `GET /${"x".repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["no Host", "GET /api/v1/app HTTP/1.1\r\n\r\n"],
    ["two Hosts", "GET /api/v1/app HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
    ["an impossible Host", "GET /api/v1/app HTTP/1.1\r\nHost: ///\\@:99999\r\n\r\n"],
    ["a negative length", "PUT /api/v1/app HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"],
    ["a length that is not a number", "PUT /api/v1/app HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n"],
    ["two lengths", "PUT /api/v1/app HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}"],
    [
      "a length and chunks",
      "PUT /api/v1/app HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["an unknown transfer encoding", "PUT /api/v1/app HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rot13\r\n\r\n{}"],
    ["an unknown expectation", "GET /api/v1/app HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n"],
  ])("%s is refused", async (_what, bytes) => {
    await expectRawRefused(bytes);
  });

  test("a chunk whose size is not a number is refused", async () => {
    const head = `PUT /api/v1/app HTTP/1.1\r\nHost: ${host}\r\n${credentials}Content-Type: application/json\r\n`;
    await expectRawRefused(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`);
  });

  test("headers that do not end in time are refused", async () => {
    const answer = await rawRequest(server.url, "GET /api/v1/app HTTP/1.1\r\nHost: x\r\nA:");
    expectRefusal(answer.status, answer.body);
    expect(answer.status).toBe(408);
  });
});

test.each(NAUGHTY_STRINGS.filter((text) => !text.includes("\u0000")))(
  "the text %j is stored unchanged",
  async (text) => {
    const headers = server.connectorHeaders;
    const url = `/api/v1/${connectorId()}/comments`;
    const created = await server.app.inject({ method: "POST", url, payload: { text }, headers });
    expect(created.statusCode).toBe(201);
    const read = await server.app.inject({ url: `/api/v1/${created.json().id}`, headers });
    expect(read.json().text).toBe(text);
    const settings = await server.app.inject({
      method: "PUT",
      url: "/api/v1/app",
      payload: { settings: { value: text }, private_settings: { value: text } },
      headers,
    });
    expect(settings.json()).toMatchObject({ settings: { value: text }, private_settings: { value: text } });
  },
);
