import { expect, test, vi } from "vitest";
import { type TestServer, withTestServer } from "../../../testing/test-server.js";

function scrape(server: TestServer, remoteAddress: string, headers: Record<string, string> = {}) {
  return server.app.inject({ url: "/metrics", remoteAddress, headers });
}

test("a running server is alive and ready", async () => {
  await withTestServer({}, async (server) => {
    for (const url of ["/healthz", "/readyz"]) {
      const answer = await server.app.inject(url);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toEqual({ status: "ok" });
    }
  });
});

test("a server whose question engine does not answer is alive and not ready", async () => {
  await withTestServer({}, async (server) => {
    vi.spyOn(server.questions, "ping").mockRejectedValue(new Error("The engine is down."));
    expect((await server.app.inject("/healthz")).statusCode).toBe(200);
    const answer = await server.app.inject("/readyz");
    expect([answer.statusCode, answer.headers["retry-after"]]).toEqual([503, "1"]);
    expect(answer.json().error).toEqual({
      code: "unavailable",
      message: "The question engine does not answer.",
      details: [],
    });
  });
});

test("metrics are answered in the format of Prometheus to loopback, and to no other address, also with forged headers", async () => {
  await withTestServer({}, async (server) => {
    await server.app.inject("/healthz");
    const answer = await scrape(server, "127.0.0.1");
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["content-type"]).toMatch(/^text\/plain/);
    expect(answer.body).toMatch(/^muster_http_request_seconds_count\{.*route="\/healthz".*\} [1-9]/m);
    expect(answer.body).toContain("process_resident_memory_bytes");

    expect((await scrape(server, "192.0.2.1")).statusCode).toBe(401);
    expect((await scrape(server, "192.0.2.1", { "x-forwarded-for": "127.0.0.1" })).statusCode).toBe(401);
  });
});

test("metrics need the token of METRICS_TOKEN when there is one, also from loopback", async () => {
  await withTestServer({ METRICS_TOKEN: "scrape" }, async (server) => {
    expect((await scrape(server, "127.0.0.1")).statusCode).toBe(401);
    expect((await scrape(server, "192.0.2.1", { authorization: "Bearer wrong" })).statusCode).toBe(401);
    expect((await scrape(server, "192.0.2.1", { authorization: "Bearer scrape" })).statusCode).toBe(200);
  });
});
