import { expect, test } from "vitest";
import { withTestServer } from "../../testing/test-server.js";
import { Throttle } from "./throttle.js";

test("a key that reaches the limit waits for the rest of the minute", () => {
  const throttle = new Throttle(2);
  const start = 1_000_000;
  throttle.count("a", start);
  expect(throttle.retryAfter("a", start)).toBe(0);
  throttle.count("a", start + 1_000);
  expect(throttle.retryAfter("a", start + 1_000)).toBe(59);
  expect(throttle.retryAfter("b", start + 1_000)).toBe(0);
  expect(throttle.retryAfter("a", start + 60_000)).toBe(0);
});

test("after too many failed authentications the address gets 429 with Retry-After, also with right credentials", async () => {
  await withTestServer({ AUTH_FAILURES_PER_MINUTE: "3" }, async (server) => {
    const call = (headers: Record<string, string>, remoteAddress: string) =>
      server.app.inject({ url: "/api/v1/app", headers, remoteAddress });
    const bad = { ...server.connectorHeaders, "Svc-Access-Token": "wrong" };
    for (let attempt = 0; attempt < 3; attempt++) expect((await call(bad, "192.0.2.1")).statusCode).toBe(401);

    const answer = await call(server.connectorHeaders, "192.0.2.1");
    expect(answer.statusCode).toBe(429);
    expect(answer.json()).toMatchObject({ status: 429, error: { code: "too_many_requests" } });
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(answer.headers["retry-after"])).toBeLessThanOrEqual(60);

    expect((await call(server.connectorHeaders, "192.0.2.2")).statusCode).toBe(200);
    expect((await server.app.inject({ url: "/healthz", remoteAddress: "192.0.2.1" })).statusCode).toBe(200);
  });
});
