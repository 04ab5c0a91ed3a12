import { expect, test } from "vitest";
import { withTestServer } from "../testing/test-server.js";

test("every answer has its own request id and secure headers, and does not name the software of the server", async () => {
  await withTestServer({}, async (server) => {
    const answers = [await server.app.inject("/healthz"), await server.app.inject("/nothing")];
    expect(new Set(answers.map(({ headers }) => headers["x-request-id"])).size).toBe(2);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "referrer-policy": "no-referrer",
        "content-security-policy": expect.stringContaining("default-src 'self'"),
      });
      for (const name of ["strict-transport-security", "x-powered-by", "server"]) expect(headers[name]).toBeUndefined();
    }
  });
});

test.each([
  ["the address of the connection by default", "false", "127.0.0.1", 401],
  ["the one that the only proxy has seen", "1", "198.51.100.7, 127.0.0.1", 200],
  ["not one that a client wrote into the header before it came to the proxy", "1", "127.0.0.1, 198.51.100.7", 401],
  ["the one before two proxies", "2", "127.0.0.1, 198.51.100.7", 200],
  ["the one before the proxies of a range", "192.0.2.0/24, 10.1.2.3", "127.0.0.1, 192.0.2.44, 10.1.2.3", 200],
  ["that of a proxy outside the range", "192.0.2.0/24", "127.0.0.1, 10.1.2.3", 401],
])("the client's address is %s", async (_source, trusted, forwarded, status) => {
  await withTestServer({ TRUST_PROXY: trusted }, async (server) => {
    const headers = { "x-forwarded-for": forwarded };
    const answer = await server.app.inject({ url: "/metrics", remoteAddress: "192.0.2.1", headers });
    expect(answer.statusCode).toBe(status);
  });
});

test("metrics are not shown to a client of a proxy on this machine that the server does not know of", async () => {
  await withTestServer({}, async (server) => {
    const call = (headers: Record<string, string>) => server.app.inject({ url: "/metrics", headers });
    expect((await call({})).statusCode).toBe(200);
    expect((await call({ "x-forwarded-for": "198.51.100.7" })).statusCode).toBe(401);
    expect((await call({ forwarded: "for=198.51.100.7" })).statusCode).toBe(401);
  });
});

test("with BRAND=Hull all headers have the prefix Hull, also in the OpenAPI document", async () => {
  await withTestServer({ BRAND: "Hull" }, async (server) => {
    const document = (await server.app.inject("/api/v1/openapi.json")).body;
    expect(document).toContain("Hull-Incomplete");
    expect(document).not.toContain("Svc-");
    const { id, secret } = server.first.connector;
    const headers = { "Hull-App-Id": id, "Hull-Access-Token": secret, "Hull-Organization": "default" };
    const answer = await server.app.inject({ url: `/api/v1/${id}/comments`, headers });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["hull-total-count"]).toBe("0");
    const neutral = { "Svc-App-Id": id, "Svc-Access-Token": secret };
    expect((await server.app.inject({ url: "/api/v1/app", headers: neutral })).statusCode).toBe(401);
  });
});

test("an answer to bad JSON says where, and one to a guessed path says what exists instead", async () => {
  await withTestServer({}, async (server) => {
    const headers = { ...server.connectorHeaders, "content-type": "application/json" };
    const post = (url: string, payload: string) => server.app.inject({ method: "POST", url, headers, payload });
    for (const path of ["/api/v1/search/user_reports", "/firehose"]) {
      const answer = await post(path, '{\n  "query": {,}\n}');
      expect([answer.statusCode, answer.json().message]).toEqual([
        400,
        "The body is not valid JSON: line 2, column 13.",
      ]);
    }
    const messageOf = async (url: string) => {
      const answer = await server.app.inject({ url, headers: server.connectorHeaders });
      expect(answer.statusCode).toBe(404);
      return answer.json().message;
    };
    const search = "POST /api/v1/search/user_reports (Search";
    expect(await messageOf("/api/v1/users")).toMatch(
      /^There is no object "users"\. There is .*\. \/docs lists all routes\.$/,
    );
    expect(await messageOf("/api/v1/users")).toContain(search);
    expect(await messageOf("/api/v1/users/list")).toContain(search);
    expect(await messageOf("/api/v1/serach/user_reports")).toContain(search);
    expect(await messageOf("/api/v1/accounts")).toContain("/api/v1/search/account_reports");
    expect(await messageOf("/api/v1/event")).toContain("/api/v1/search/events");
    expect(await messageOf("/api/v2/users")).toBe("There is nothing at GET /api/v2/users.");
  });
});
