import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { Refusal } from "@muster/protocol";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { buildApp } from "../app.js";
import type { App } from "../app-type.js";
import type { AuthenticateOptions } from "../auth/authenticate.js";

const SECRET = "the password is hunter2";

let app: App;
let thrown: unknown;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  app = await buildApp({
    // Not used: the routes of this test are open.
    authentication: {} as AuthenticateOptions,
    logger: pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    bodyLimitBytes: 100,
    requestTimeoutMs: 10_000,
    trustProxy: false,
    async routes(routes) {
      const fail = async () => {
        throw thrown;
      };
      routes.post("/fails", { config: { access: "open" } }, fail);
      routes.get("/fails", { config: { access: "open" }, onRequest: fail }, async () => "never");
      routes.get("/breaks", { config: { access: "open" } }, (_request, reply) => {
        reply.send({
          toJSON: () => {
            throw thrown;
          },
        });
      });
    },
  });
});
beforeEach(() => {
  lines.length = 0;
});
afterAll(() => app.close());

const withStatus = Object.assign(new Error(SECRET), { statusCode: 404, code: "E_LIBRARY" });

test.each<[string, unknown]>([
  ["an error", new TypeError(SECRET)],
  ["an error with a cause", new Error(SECRET, { cause: new Error(SECRET) })],
  ["an error of a library that has a status of its own", withStatus],
  ["an error that looks like one of a schema", Object.assign(new Error(SECRET), { validation: SECRET })],
  ["a text", SECRET],
  ["nothing", undefined],
  ["null", null],
])("%s that nobody expected is a 500 in the usual shape, without its text, logged once", async (_what, error) => {
  thrown = error;
  for (const request of [
    { method: "POST", url: "/fails", payload: {} },
    { method: "GET", url: "/fails" },
    { method: "GET", url: "/breaks" },
  ] as const) {
    lines.length = 0;
    const answer = await app.inject(request);
    const message = expect.stringContaining("X-Request-Id");
    expect([request.url, answer.statusCode, answer.json()]).toEqual([
      request.url,
      500,
      { error: { code: "internal", message, details: [] }, message, status: 500 },
    ]);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.body).not.toMatch(/hunter2|\bat \w+.*:\d+|node_modules/);
    expect(lines).toMatchObject([{ level: 50, reqId: answer.headers["x-request-id"], msg: "request failed" }]);
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test("a refusal is answered with its own status, and is not logged", async () => {
  thrown = new Refusal("conflict", "It exists already.", { details: [{ path: "body.id", message: "is taken" }] });
  const answer = await app.inject({ method: "POST", url: "/fails", payload: {} });
  expect([answer.statusCode, answer.json()]).toEqual([
    409,
    {
      error: { code: "conflict", message: "It exists already.", details: [{ path: "body.id", message: "is taken" }] },
      message: "It exists already.",
      status: 409,
    },
  ]);
  expect(lines).toEqual([]);
});

test("503 says when to try again, and its cause is logged without being shown", async () => {
  thrown = new Refusal("unavailable", "The database is away.", { retryAfter: 5, cause: new Error(SECRET) });
  const answer = await app.inject({ method: "POST", url: "/fails", payload: {} });
  expect([answer.statusCode, answer.headers["retry-after"], answer.json().error.code]).toEqual([
    503,
    "5",
    "unavailable",
  ]);
  expect(answer.body).not.toContain("hunter2");
  expect(lines).toMatchObject([{ level: 40, reqId: answer.headers["x-request-id"] }]);
});

test.each([
  ["an unknown path", 404, "not_found", { method: "GET", url: "/nothing" }],
  ["another method", 405, "method_not_allowed", { method: "DELETE", url: "/fails" }],
  ["a large body", 413, "payload_too_large", { method: "POST", url: "/fails", payload: { x: "x".repeat(100) } }],
  [
    "another content type",
    415,
    "unsupported_media_type",
    { method: "POST", url: "/fails", headers: { "content-type": "text/csv" }, payload: "a,b" },
  ],
  [
    "JSON that is cut off",
    400,
    "malformed_json",
    { method: "POST", url: "/fails", headers: { "content-type": "application/json" }, payload: "{" },
  ],
] as const)("%s is a %i in the usual shape", async (_what, status, code, request) => {
  const answer = await app.inject(request);
  const { message } = answer.json();
  expect([answer.statusCode, answer.json()]).toEqual([
    status,
    { error: { code, message, details: [] }, message: expect.stringMatching(/\.$/), status },
  ]);
  expect(answer.headers.allow).toBe(status === 405 ? "GET, HEAD, POST" : undefined);
  expect(lines).toEqual([]);
});

test("a client that goes away while it sends a body is no failure of the server", async () => {
  await app.listen({ host: "127.0.0.1", port: 0 });
  const arrived = once(app.server, "request");
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("POST /fails HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{");
  const [request] = (await arrived) as [IncomingMessage];
  const closed = once(request, "close");
  await setImmediate();
  socket.destroy();
  await closed.catch(() => {});
  await setImmediate();
  expect(lines.filter(({ msg }) => msg === "request failed")).toEqual([]);
});
