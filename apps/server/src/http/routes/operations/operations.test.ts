import { once } from "node:events";
import { connect } from "node:net";
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

test("a request that a proxy on this machine forwards is not from this machine, whatever header tells so", async () => {
  await withTestServer({}, async (server) => {
    for (const [name, value] of [
      ["x-forwarded-for", "192.0.2.1"],
      ["x-forwarded-host", "muster.example"],
      ["x-forwarded-proto", "https"],
      ["forwarded", "for=192.0.2.1"],
      ["x-real-ip", "192.0.2.1"],
      ["via", "1.1 proxy"],
      ["cf-connecting-ip", "192.0.2.1"],
      ["true-client-ip", "192.0.2.1"],
    ] as const) {
      const { statusCode } = await scrape(server, "127.0.0.1", { [name]: value });
      expect([name, statusCode]).toEqual([name, 401]);
    }
  });
  await withTestServer({ TRUST_PROXY: "127.0.0.1" }, async (server) => {
    const statusWith = async (headers: Record<string, string>) =>
      (await scrape(server, "127.0.0.1", headers)).statusCode;
    expect(await statusWith({ "x-forwarded-for": "192.0.2.1", via: "1.1 proxy" })).toBe(401);
    expect(await statusWith({ "x-forwarded-for": "127.0.0.1", via: "1.1 proxy" })).toBe(200);
    expect(await statusWith({ via: "1.1 proxy" })).toBe(401);
    expect(await statusWith({})).toBe(200);
  });
});

test("metrics tell how many connections and descriptors are open, and how many there can be", async () => {
  await withTestServer({}, async (server) => {
    await server.listen();
    const { hostname, port } = new URL(server.url);
    const client = connect(Number(port), hostname);
    await once(client, "connect");
    await vi.waitFor(async () => {
      expect((await scrape(server, "127.0.0.1")).body).toMatch(/^muster_http_connections 1$/m);
    });
    const { body } = await scrape(server, "127.0.0.1");
    expect(body).toMatch(/^muster_http_connections_limit [1-9]\d+$/m);
    expect(body).toMatch(/^muster_http_connections_refused_total 0$/m);
    expect(body).toMatch(/^process_open_fds [1-9]/m);
    expect(body).toMatch(/^process_max_fds [1-9]/m);
    client.destroy();
  });
});

test("metrics need the token of METRICS_TOKEN when there is one, also from loopback", async () => {
  await withTestServer({ METRICS_TOKEN: "scrape" }, async (server) => {
    expect((await scrape(server, "127.0.0.1")).statusCode).toBe(401);
    expect((await scrape(server, "192.0.2.1", { authorization: "Bearer wrong" })).statusCode).toBe(401);
    expect((await scrape(server, "192.0.2.1", { authorization: "Bearer scrape" })).statusCode).toBe(200);
  });
});

test("metrics tell how far the stages are, what waits, and how much space there is", async () => {
  await withTestServer({}, async (server) => {
    const { body } = await scrape(server, "127.0.0.1");
    for (const line of [
      'muster_engine_up{engine="postgres"} 1',
      'muster_engine_up{engine="questions"} 1',
      'muster_stage_lag_seconds{stage="apply"} 0',
      'muster_stage_lag_seconds{stage="project"} 0',
      'muster_log_waiting_batches{stage="apply"} 0',
    ]) {
      expect(body.split("\n")).toContain(line);
    }
    expect(body).toMatch(/^muster_disk_free_bytes [1-9]/m);
    expect(body).toMatch(/^muster_database_bytes [1-9]/m);
    expect(body).toMatch(/^muster_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);
  });
});

test("counters that alerts watch are there before the first failure, because an increase is only seen from a value on", async () => {
  await withTestServer({}, async (server) => {
    const lines = (await scrape(server, "127.0.0.1")).body.split("\n");
    for (const line of [
      'muster_jobs_total{type="import",outcome="failed"} 0',
      'muster_jobs_total{type="export",outcome="failed"} 0',
      'muster_ingest_entries_total{outcome="rejected"} 0',
      'muster_lost_rows_total{table="connector_logs"} 0',
      'muster_lost_rows_total{table="traces"} 0',
    ]) {
      expect(lines).toContain(line);
    }
  });
});

test("metrics are answered while PostgreSQL is away, and figures from it are missing", async () => {
  await withTestServer({}, async (server) => {
    const away = vi.spyOn(server.database, "query").mockRejectedValue(new Error("PostgreSQL is away."));
    const { statusCode, body } = await scrape(server, "127.0.0.1");
    away.mockRestore();
    expect(statusCode).toBe(200);
    expect(body).toContain('muster_engine_up{engine="postgres"} 0');
    expect(body).toContain('muster_metrics_unread_total{figures="stages"} 1');
    expect(body).not.toMatch(/^muster_(stage_lag_seconds|database_bytes)[ {]/m);
    expect(body).toMatch(/^muster_disk_free_bytes [1-9]/m);
  });
});
