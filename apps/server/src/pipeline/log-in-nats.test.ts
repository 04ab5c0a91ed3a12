// @module-tag long
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, headers } from "@nats-io/transport-node";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canTest } from "../../../../testing/can-test.js";
import { HAS_NATS, type NatsNodes, NO_NATS, startNats } from "../../../../testing/start-nats.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";
import { cleanErased } from "../upkeep/clean-erased.js";

const PATIENTLY = { timeout: 30_000, interval: 100 };

describe.runIf(canTest(HAS_NATS, NO_NATS))("a server with NATS_URL", () => {
  let nats: NatsNodes;
  let server: TestServer;
  let sender: Sender;
  beforeAll(async () => {
    nats = await startNats();
    server = await openTestServer({ NATS_URL: nats.url, NATS_STREAMS: "1", DELIVERY_RETRY_MS: "10" });
    sender = new Sender(server);
  });
  afterAll(async () => {
    await server.close();
    await nats.close();
  });

  const user = (id: string) => ({ user: { external_id: id } });

  /** Reads and changes the stream as an operator could. */
  async function inStream<Result>(work: (tools: StreamTools) => Promise<Result>): Promise<Result> {
    const connection = await connect({ servers: nats.url.replace("nats://", "") });
    try {
      return await work({ connection, jsm: await jetstreamManager(connection) });
    } finally {
      await connection.close();
    }
  }

  test("applies batches of the log in NATS, and readers can wait for their positions", async () => {
    await sender.settle([sender.traits(user("ann"), { plan: "pro" }), sender.track(user("ann"), "Signed up")]);
    expect(await sender.user({ external_id: "ann" })).toMatchObject({ traits_plan: "pro" });
    const { rows } = await server.database.query("select from ingest_log");
    expect(rows).toEqual([]);
    const { rows: placements } = await server.database.query("select kind, stream from log_placements");
    expect(placements).toEqual([{ kind: "nats", stream: "MUSTER_LOG_0" }]);
    const ahead = await sender.call("GET", "/org", { headers: { "Svc-Wait-For": "l999999" } });
    expect([ahead.statusCode, ahead.json().error.message]).toEqual([
      400,
      "Nothing was written at the position to wait for.",
    ]);
  });

  test("gives a batch that is sent again its first answer, and applies it once", async () => {
    const batch = [sender.traits(user("inc"), { total: { operation: "inc", value: 1 } })];
    const key = { headers: { "Idempotency-Key": "same" } };
    const first = await sender.send(batch, key);
    const again = await sender.send(batch, key);
    await sender.waitFor(first.position);
    const late = await sender.send(batch, key);
    expect([again, late]).toEqual([1, 2].map(() => ({ ...first, duplicate: true })));
    expect(await sender.user({ external_id: "inc" })).toMatchObject({ traits_total: 1 });
  });

  test("a copy of a message that NATS does not recognise has no effect", async () => {
    const batch = [sender.traits(user("copy"), { total: { operation: "inc", value: 1 } })];
    await sender.settle(batch);
    await inStream(async ({ connection, jsm }) => {
      const last = await jsm.streams.getMessage("MUSTER_LOG_0", { last_by_subj: "muster.log.>" });
      if (!last) throw new Error("The stream is empty.");
      const fields = headers();
      fields.set("Muster-Batch", last.header.get("Muster-Batch"));
      await connection.request(last.subject, last.data, { headers: fields, timeout: 5_000 });
    });
    await sender.settle([sender.traits(user("after"), { plan: "free" })]);
    expect(await sender.user({ external_id: "copy" })).toMatchObject({ traits_total: 1 });
  });

  test("deletes messages about a user who was erased", async () => {
    await sender.settle([sender.traits(user("gone"), { note: "forget-this" })]);
    const { id } = await sender.user({ external_id: "gone" });
    const lastSequence = async ({ jsm }: StreamTools) =>
      (await jsm.streams.getMessage("MUSTER_LOG_0", { last_by_subj: "muster.log.>" }))?.seq ?? 0;
    const seq = await inStream(lastSequence);
    const erased = await sender.call("DELETE", `/${id}`);
    expect(erased.statusCode).toBeLessThan(300);
    await expect
      .poll(async () => {
        await cleanErased({ ...server, logger: pino({ level: "silent" }) }, new AbortController().signal);
        return inStream(({ jsm }) => jsm.streams.getMessage("MUSTER_LOG_0", { seq }));
      }, PATIENTLY)
      .toBeNull();
    expect(await inStream(({ jsm }) => jsm.streams.getMessage("MUSTER_LOG_0", { seq: 1 }))).not.toBeNull();
  });

  test("moves the log to PostgreSQL and back under load, and every record takes effect once", async () => {
    let sent = 0;
    let isOver = false;
    const load = (async () => {
      while (!isOver) {
        const batch = [sender.traits(user("moved"), { total: { operation: "inc", value: 1 }, number: sent })];
        // Until it is acknowledged, the same batch is sent again.
        while ((await sender.post(batch)).statusCode !== 200);
        sent += 1;
      }
    })();
    const present = async (to: string) => {
      const headers = server.operatorHeaders;
      const move = { method: "POST", url: "/api/v1/ingestion/log/move", headers, payload: { to } } as const;
      await expect
        .poll(async () => (await server.app.inject(move)).json(), { timeout: 90_000, interval: 300 })
        .toMatchObject({ log: to, state: "present" });
    };
    for (const to of ["postgres", "nats", "postgres", "nats"]) {
      const before = sent;
      await present(to);
      await expect.poll(() => sent, PATIENTLY).toBeGreaterThan(before + 3);
    }
    isOver = true;
    await load;
    await sender.settle([sender.traits(user("moved"), { done: true })]);
    expect(await sender.user({ external_id: "moved" })).toMatchObject({ traits_total: sent, traits_done: true });
    const { rows } = await server.database.query(
      "select kind, until is null as present from log_placements order by number",
    );
    expect(rows).toEqual(
      ["nats", "postgres", "nats", "postgres", "nats"].map((kind, index) => ({ kind, present: index === 4 })),
    );
  }, 240_000);

  test("answers 503 while NATS is away, goes on when it is back, and has lost nothing", async () => {
    await nats.kill(0);
    const refused = await sender.post([sender.traits(user("lost"), { plan: "pro" })]);
    expect([refused.statusCode, refused.json().error.code]).toEqual([503, "unavailable"]);
    expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
    await nats.start(0);
    await expect
      .poll(async () => (await sender.post([sender.traits(user("back"), { plan: "pro" })])).statusCode, PATIENTLY)
      .toBe(200);
    await sender.settle([sender.traits(user("bob"), { plan: "free" })]);
    expect(await sender.user({ external_id: "ann" })).toMatchObject({ traits_plan: "pro" });
    expect(await sender.user({ external_id: "back" })).toMatchObject({ traits_plan: "pro" });
  }, 60_000);

  test("says that a stream is lost, and goes on in PostgreSQL or a new stream when it is given up", async () => {
    await inStream(({ jsm }) => jsm.streams.delete("MUSTER_LOG_0"));
    await expect
      .poll(async () => (await sender.post([sender.traits(user("lost"), { plan: "pro" })])).body, PATIENTLY)
      .toContain("The stream MUSTER_LOG_0 of NATS does not exist.");
    const move = async (payload: object) => {
      const headers = server.operatorHeaders;
      return (await server.app.inject({ method: "POST", url: "/api/v1/ingestion/log/move", headers, payload })).json();
    };
    expect(await move({ to: "postgres", abandon: true })).toMatchObject({ log: "postgres", state: "present" });
    await sender.settle([sender.traits(user("eve"), { plan: "free" })]);
    await move({ to: "nats" });
    await sender.settle([sender.traits(user("eve"), { plan: "pro" })]);
    expect(await sender.user({ external_id: "eve" })).toMatchObject({ traits_plan: "pro" });
    expect(await sender.user({ external_id: "ann" })).toMatchObject({ traits_plan: "pro" });
  }, 60_000);
});

interface StreamTools {
  connection: Awaited<ReturnType<typeof connect>>;
  jsm: Awaited<ReturnType<typeof jetstreamManager>>;
}
