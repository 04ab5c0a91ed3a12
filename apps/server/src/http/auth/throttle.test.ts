import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { holdNewMinute } from "../../testing/new-minute.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
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

test("nobody waits for longer than a minute, whatever the clock says", () => {
  for (let index = 1; index < 10_000; index++) {
    const throttle = new Throttle(1);
    const at = 1_000_000 * Math.sqrt(index);
    throttle.count("a", at);
    expect(throttle.retryAfter("a", at)).toBe(60);
  }
});

test("the number of keys that are counted is limited", () => {
  const throttle = new Throttle(1);
  for (let key = 0; key < 150_000; key++) throttle.count(String(key), 1);
  expect(throttle.retryAfter("1", 1)).toBeGreaterThan(0);
  expect(throttle.retryAfter("149999", 1)).toBe(0);
});

describe("after too many failed authentications", () => {
  let server: TestServer;
  let colleague: Record<string, string>;
  beforeAll(async () => {
    server = await openTestServer({ AUTH_FAILURES_PER_MINUTE: "3" });
    const { id, secret } = await connector();
    colleague = { "Svc-App-Id": id, "Svc-Access-Token": secret };
  });
  afterAll(() => server.close());
  beforeEach(holdNewMinute);

  async function connector(): Promise<{ id: string; secret: string }> {
    const headers = server.operatorHeaders;
    const url = "/api/v1/connectors";
    return (await server.app.inject({ method: "POST", url, headers, payload: { name: "Colleague" } })).json();
  }

  const call = (headers: Record<string, string>, remoteAddress: string) =>
    server.app.inject({ url: "/api/v1/users_segments", headers, remoteAddress });
  const wrong = (headers: Record<string, string>) => ({ ...headers, "Svc-Access-Token": "wrong" });
  const statuses = async (times: number, headers: Record<string, string>, address: string) => {
    const found: number[] = [];
    for (let attempt = 0; attempt < times; attempt++) found.push((await call(headers, address)).statusCode);
    return found;
  };

  test("the address gets 429 with Retry-After for that connector, and right credentials always work", async () => {
    const bad = wrong(server.connectorHeaders);
    expect(await statuses(5, bad, "192.0.2.1")).toEqual([401, 401, 401, 429, 429]);
    const answer = await call(bad, "192.0.2.1");
    expect(answer.json()).toMatchObject({ status: 429, error: { code: "too_many_requests" } });
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(answer.headers["retry-after"])).toBeLessThanOrEqual(60);

    expect(await statuses(2, server.connectorHeaders, "192.0.2.1")).toEqual([200, 200]);
    expect(await statuses(1, server.operatorHeaders, "192.0.2.1")).toEqual([200]);
    expect(await statuses(1, bad, "192.0.2.2")).toEqual([401]);
    expect(await statuses(1, wrong(colleague), "192.0.2.1")).toEqual([401]);
  });

  test("unknown connectors are counted together, and so are wrong admin tokens", async () => {
    const unknown = (id: number) => ({ "Svc-App-Id": `unknown-${id}`, "Svc-Access-Token": "x" });
    const found: number[] = [];
    for (let id = 0; id < 5; id++) found.push((await call(unknown(id), "192.0.2.3")).statusCode);
    expect(found).toEqual([401, 401, 401, 429, 429]);
    expect(await statuses(4, { authorization: "Bearer x" }, "192.0.2.3")).toEqual([401, 401, 401, 429]);
    expect(await statuses(1, server.operatorHeaders, "192.0.2.3")).toEqual([200]);
  });

  test("an IPv6 network of 64 bits is one address, and an IPv4 address is the same in both notations", async () => {
    const bad = wrong(server.connectorHeaders);
    expect(await statuses(2, bad, "2001:db8:1:2::1")).toEqual([401, 401]);
    expect(await statuses(2, bad, "2001:db8:1:2:ffff:ffff:ffff:ffff")).toEqual([401, 429]);
    expect(await statuses(1, bad, "2001:db8:1:3::1")).toEqual([401]);
    expect(await statuses(3, bad, "::ffff:192.0.2.9")).toEqual([401, 401, 401]);
    expect(await statuses(1, bad, "192.0.2.9")).toEqual([429]);
  });
});
