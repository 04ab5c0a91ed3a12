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
  ["the address of the connection", "false", 401],
  ["the address that the proxy sends, when proxies are trusted", "true", 200],
])("the client's address is %s", async (_source, trusted, status) => {
  await withTestServer({ TRUST_PROXY: trusted }, async (server) => {
    const headers = { "x-forwarded-for": "127.0.0.1" };
    const answer = await server.app.inject({ url: "/metrics", remoteAddress: "192.0.2.1", headers });
    expect(answer.statusCode).toBe(status);
  });
});

test("with BRAND=Hull all headers have the prefix Hull", async () => {
  await withTestServer({ BRAND: "Hull" }, async (server) => {
    const { id, secret } = server.first.connector;
    const headers = { "Hull-App-Id": id, "Hull-Access-Token": secret, "Hull-Organization": "default" };
    const answer = await server.app.inject({ url: `/api/v1/${id}/comments`, headers });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["hull-total-count"]).toBe("0");
    const neutral = { "Svc-App-Id": id, "Svc-Access-Token": secret };
    expect((await server.app.inject({ url: "/api/v1/app", headers: neutral })).statusCode).toBe(401);
  });
});
