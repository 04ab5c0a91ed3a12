import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { Refusal } from "@muster/protocol";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { ROLES } from "../../runtime/settings/roles.js";
import { type AppOptions, buildApp } from "../app.js";
import type { App } from "../app-type.js";
import type { AuthenticateOptions } from "../auth/authenticate.js";
import { SessionCookie } from "../auth/session-cookie.js";
import { readCompressed } from "./read-compressed.js";

const SECRET = "the password is hunter2";

let app: App;
let thrown: unknown;
/** The statuses of the answers. */
const answered: number[] = [];
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  app = await buildApp({
    // Not used: the routes of this test are open.
    authentication: {} as AuthenticateOptions,
    sessionCookie: new SessionCookie("http://localhost"),
    visitorCookies: {} as AppOptions["visitorCookies"],
    logger: pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    bodyLimitBytes: 100,
    requestTimeoutMs: 10_000,
    trustProxy: false,
    roles: ROLES,
    async routes(routes) {
      const fail = async () => {
        throw thrown;
      };
      routes.addHook("onSend", async (_request, reply) => void answered.push(reply.statusCode));
      routes.post("/fails", { config: { access: "open" } }, fail);
      routes.post("/compressed", { config: { access: "open" }, preParsing: readCompressed }, fail);
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
  answered.length = 0;
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
  [
    "a body that does not decompress",
    400,
    "bad_request",
    {
      method: "POST",
      url: "/compressed",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      payload: "not gzip",
    },
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

test.each([
  ["/fails", ""],
  ["/compressed", "Content-Encoding: gzip\r\n"],
])("a client that hangs up in the middle of a body for %s is no failure of the server", async (path, header) => {
  thrown = new Error("The route was called.");
  if (!app.server.listening) await app.listen({ host: "127.0.0.1", port: 0 });
  lines.length = 0;
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  const arrived = once(app.server, "request");
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${header}Content-Length: 50\r\n\r\n`,
  );
  await arrived;
  socket.destroy();
  await vi.waitUntil(() => answered.length > 0, 10_000);
  expect([answered, lines]).toEqual([[400], []]);
});
