// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canTest } from "../../../../testing/can-test.js";
import { HAS_NATS, type NatsNodes, NO_NATS, startNats } from "../../../../testing/start-nats.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const PATIENTLY = { timeout: 60_000, interval: 200 };

describe.runIf(canTest(HAS_NATS, NO_NATS))("a server whose NATS has lost the end of a stream", () => {
  let nats: NatsNodes;
  let server: TestServer;
  let sender: Sender;
  beforeAll(async () => {
    nats = await startNats();
    server = await openTestServer({ NATS_URL: nats.url, NATS_STREAMS: "1" });
    sender = new Sender(server);
  });
  afterAll(async () => {
    await server.close();
    await nats.close();
  });

  const user = (id: string) => ({ user: { external_id: id } });
  const asOperator = async (method: "GET" | "POST", path: string, payload?: object) => {
    const headers = server.operatorHeaders;
    const options = payload ? { payload } : {};
    return (await server.app.inject({ method, url: `/api/v1${path}`, headers, ...options })).json();
  };
  const statusOf = async () => (await server.app.inject({ url: "/status" })).body;
  const gauge = async () =>
    /^muster_log_streams_truncated (\d)/m.exec(
      (await server.app.inject({ url: "/metrics", headers: server.operatorHeaders })).body,
    )?.[1];

  /** Stops NATS without warning, and starts it with what it had stored when the copy was made. */
  async function loseEnd(): Promise<void> {
    await nats.kill(0);
    await nats.restoreStore(0);
    await nats.start(0);
  }

  test("refuses records until the log is renewed, and then applies every record that it accepts", async () => {
    const positions: string[] = [];
    const settle = async (id: string) => {
      positions.push((await sender.settle([sender.traits(user(id), { plan: "pro" })])).position);
    };
    await settle("kept");
    await nats.kill(0);
    await nats.copyStore(0);
    await nats.start(0);
    for (const id of ["applied 1", "applied 2", "applied 3"])
      await expect.poll(() => settle(id).then(() => id)).toBe(id);
    expect(await gauge()).toBe("0");
    await loseEnd();

    const late = [sender.traits(user("late"), { plan: "free" })];
    await expect.poll(async () => (await sender.post(late)).body, PATIENTLY).toContain("has lost its last records");
    const refused = await sender.post(late);
    expect([refused.statusCode, refused.json().error.code]).toEqual([503, "unavailable"]);
    expect(refused.json().error.message).toContain("`muster log renew --all`");
    expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
    const checks: { name: string }[] = await asOperator("GET", "/health_checks");
    expect(checks.find(({ name }) => name === "NATS")).toMatchObject({
      status: "bad",
      message: expect.stringContaining("MUSTER_LOG_0"),
      advice: expect.stringContaining("muster log renew --all"),
    });
    expect(await gauge()).toBe("1");
    await expect.poll(statusOf, PATIENTLY).toContain("stopped");
    expect(await asOperator("POST", "/ingestion/log/move", { to: "postgres" })).toMatchObject({
      error: { code: "conflict" },
    });

    await expect.poll(async () => asOperator("POST", "/ingestion/log/renew", { all: true }), PATIENTLY).toEqual([]);
    expect(await asOperator("GET", "/ingestion/log")).toMatchObject({ stream: "MUSTER_LOG_0_2", is_truncated: false });
    await expect.poll(async () => (await sender.post(late)).statusCode, PATIENTLY).toBe(200);
    await settle("after");
    for (const position of positions) await sender.waitFor(position);
    const numbers = positions.map((position) => Number(position.replace(/\D/g, "")));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    for (const id of ["kept", "applied 1", "applied 2", "applied 3", "late", "after"]) {
      expect(await sender.user({ external_id: id })).toMatchObject({ external_id: id });
    }
    expect(await gauge()).toBe("0");
  }, 120_000);
});
