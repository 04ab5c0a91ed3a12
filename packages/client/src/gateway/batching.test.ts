import { createBrand, readClaims, verifyToken } from "@muster/protocol";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Client } from "../client.js";
import { claimsIn, entriesOf, type FakeGateway, hang, SECRET, startFakeGateway } from "../testing/fake-gateway.js";

const FOREVER_MS = 3_600_000;

let gateway: FakeGateway;

beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

function batchSizes(): number[] {
  return gateway.requests.map((request) => entriesOf(request).length);
}

describe("an entry on the wire", () => {
  it("has its type, time, token and body, in a batch with the connector's credentials", async () => {
    const client = new Client(gateway.config({ requestId: "request-1" }));
    const before = new Date().toISOString();
    const context = { source: "shop", type: "order", event_id: "order-1", ip: "10.0.0.1", created_at: "2026-01-02" };
    await client.asUser({ email: "ada@example.com" }).track("Order placed", { total: 12 }, context);

    const [request] = gateway.requests;
    expect(request).toMatchObject({ method: "POST", url: "/firehose" });
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      "svc-app-id": client.configuration().id,
      "svc-access-token": SECRET,
      "svc-organization": gateway.host,
    });
    const { timestamp, sentAt, batch } = JSON.parse(request?.text ?? "");
    expect(batch).toEqual([
      {
        type: "track",
        timestamp: expect.any(String),
        requestId: "request-1",
        headers: { "Svc-Access-Token": expect.any(String) },
        body: { ...context, url: null, referer: null, properties: { total: 12 }, event: "Order placed" },
      },
    ]);
    const times = [before, batch[0].timestamp, timestamp, new Date().toISOString()];
    expect(times).toEqual(times.toSorted((a, b) => a.localeCompare(b)));
    expect(sentAt).toBe(timestamp);
  });

  it("carries a token of its own subject", async () => {
    const client = new Client(gateway.config());
    await Promise.all([
      client.asUser({ external_id: "1" }, { create: false }).traits({ plan: "pro" }),
      client.asAccount({ domain: "example.com" }).traits({ plan: "team" }),
      client.asUser({ external_id: "1" }).account({ domain: "example.com" }).traits({ role: "owner" }),
    ]);
    const claims = gateway.entries().map((entry) => {
      const payload = verifyToken(entry.headers["Svc-Access-Token"] ?? "", SECRET, Date.now());
      return typeof payload === "string" ? payload : readClaims(createBrand(), payload);
    });
    expect(claims).toMatchObject([
      { subjectType: "user", asUser: { external_id: "1" }, create: false },
      { subjectType: "account", asAccount: { domain: "example.com" }, create: true },
      { subjectType: "user", asUser: { external_id: "1" }, asAccount: { domain: "example.com" } },
    ]);
  });

  it("is an alias or unalias of a user or an account", async () => {
    const client = new Client(gateway.config());
    const user = client.asUser({ external_id: "1" });
    const account = client.asAccount({ external_id: "a" });
    await Promise.all([
      user.alias({ anonymous_id: "v1" }),
      user.unalias({ anonymous_id: "v2" }),
      account.alias({ anonymous_id: "v3" }),
      account.unalias({ anonymous_id: "v4" }),
    ]);
    expect(gateway.entries().map(({ type, body }) => [type, body])).toEqual([
      ["alias", { anonymous_id: "v1" }],
      ["unalias", { anonymous_id: "v2" }],
      ["alias", { anonymous_id: "v3" }],
      ["unalias", { anonymous_id: "v4" }],
    ]);
  });

  it("of an event is one of a server unless the caller says otherwise: without address, page and referer", async () => {
    const user = new Client(gateway.config()).asUser({ external_id: "1" });
    await user.track("A");
    await user.track("B", {}, { ip: "10.0.0.1", url: "https://a.example", referer: "https://b.example" });
    expect(gateway.entries().map(({ body }) => [body.properties, body.ip, body.url, body.referer])).toEqual([
      [{}, null, null, null],
      [{}, "10.0.0.1", "https://a.example", "https://b.example"],
    ]);
  });

  it("has a random event id unless the caller gives one", async () => {
    const user = new Client(gateway.config()).asUser({ external_id: "1" });
    await Promise.all([user.track("A"), user.track("A"), user.track("A", {}, { event_id: "mine" })]);
    const ids = gateway.entries().map((entry) => entry.body.event_id);
    expect(new Set(ids).size).toBe(3);
    expect(ids[2]).toBe("mine");
  });

  it("holds the body as it was at the call, whatever the caller changes in it later", async () => {
    const attributes = { plan: "pro" };
    const sent = new Client(gateway.config()).asUser({ external_id: "1" }).traits(attributes);
    attributes.plan = "changed";
    await sent;
    expect(gateway.entries()[0]?.body).toEqual({ plan: "pro" });
  });

  it("has the names of the brand Hull when that is configured", async () => {
    const client = new Client(gateway.config({ brand: "Hull" }));
    await client.asUser({ external_id: "1" }).traits({ plan: "pro" });
    expect(gateway.requests[0]?.headers).toMatchObject({
      "hull-access-token": SECRET,
      "hull-organization": gateway.host,
    });
    expect(claimsIn(gateway.entries()[0], "Hull-Access-Token")).toMatchObject({
      "io.hull.asUser": { external_id: "1" },
    });
  });
});

describe("a batch is sent", () => {
  it("when it has enough entries", async () => {
    const batching = { maxEntries: 3, maxDelayMs: FOREVER_MS };
    const user = new Client(gateway.config({ batching })).asUser({ external_id: "1" });
    await Promise.all([1, 2, 3, 4, 5, 6].map((n) => user.traits({ n })));
    expect(batchSizes()).toEqual([3, 3]);
  });

  it("when it has enough bytes, of which an accented letter takes two", async () => {
    const client = new Client(gateway.config({ batching: { maxBytes: 3_000, maxDelayMs: FOREVER_MS } }));
    const text = "é".repeat(600);
    for (const n of [1, 2, 3, 4]) void client.asUser({ external_id: "1" }).traits({ n, text });
    await vi.waitFor(() => expect(batchSizes()).toEqual([1, 1, 1]));
    await client.flush();
    expect(batchSizes()).toEqual([1, 1, 1, 1]);
  });

  it("when its first entry has waited long enough", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const user = new Client(gateway.config({ batching: { maxDelayMs: 50 } })).asUser({ external_id: "1" });
    const first = user.traits({ n: 1 });
    await vi.advanceTimersByTimeAsync(20);
    const second = user.traits({ n: 2 });
    await vi.advanceTimersByTimeAsync(29);
    expect([batchSizes(), vi.getTimerCount()]).toEqual([[], 1]);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([first, second]);
    expect(batchSizes()).toEqual([2]);
  });

  it("when flush is called, which resolves when every entry is settled", async () => {
    const client = new Client(gateway.config({ batching: { maxDelayMs: FOREVER_MS } }));
    const settled = vi.fn();
    for (const n of [1, 2, 3]) void client.asUser({ external_id: "1" }).traits({ n }).then(settled);
    await client.flush();
    expect(settled).toHaveBeenCalledTimes(3);
    expect(batchSizes()).toEqual([3]);
  });

  it("at the end of the turn when the user is active, with everything written before it", async () => {
    const client = new Client(gateway.config({ batching: { maxDelayMs: FOREVER_MS } }));
    const waiting = client.asUser({ external_id: "1" }).traits({ n: 1 });
    const active = client.asUser({ external_id: "2" }, { active: true });
    await Promise.all([waiting, active.traits({ n: 2 }), active.traits({ n: 3 })]);
    expect(batchSizes()).toEqual([3]);
  });

  it("at the end of the turn when the delay is 0", async () => {
    const user = new Client(gateway.config({ batching: { maxDelayMs: 0 } })).asUser({ external_id: "1" });
    await Promise.all([user.traits({ n: 1 }), user.traits({ n: 2 })]);
    expect(batchSizes()).toEqual([2]);
  });
});

describe("batches", () => {
  it("hold the entries of thousands of short-lived clients of one connector together", async () => {
    const config = gateway.config({ batching: { maxEntries: 500, maxDelayMs: FOREVER_MS } });
    const sent = Array.from({ length: 2_000 }, (_, n) =>
      new Client(config).asUser({ external_id: String(n) }).traits({ n }),
    );
    await Promise.all(sent);
    expect(batchSizes()).toEqual([500, 500, 500, 500]);
  });

  it("are kept apart for different connectors and organizations", async () => {
    const other = "0198c2a4f1d002a1b2c3d4e6";
    await Promise.all([
      new Client(gateway.config()).asUser({ external_id: "1" }).traits({ n: 1 }),
      new Client(gateway.config({ id: other })).asUser({ external_id: "1" }).traits({ n: 2 }),
    ]);
    expect(batchSizes()).toEqual([1, 1]);
    expect(gateway.requests.map(({ headers }) => headers["svc-app-id"])).toContain(other);
  });

  it("arrive in the order their entries were written, one at a time", async () => {
    const user = new Client(gateway.config({ batching: { maxEntries: 7 } })).asUser({ external_id: "1" });
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    await Promise.all(numbers.map((n) => user.traits({ n })));
    expect(gateway.entries().map((entry) => entry.body.n)).toEqual(numbers);
  });

  it("are compressed with gzip unless they are small", async () => {
    const user = new Client(gateway.config()).asUser({ external_id: "1" });
    await user.traits({ n: 1 });
    await Promise.all(Array.from({ length: 100 }, (_, n) => user.traits({ n })));
    const [small, large] = gateway.requests;
    expect(small?.headers).not.toHaveProperty("content-encoding");
    expect(large?.headers["content-encoding"]).toBe("gzip");
    expect(large?.wireBytes).toBeLessThan((large?.text.length ?? 0) / 5);
  });

  it("are not compressed when gzip is switched off", async () => {
    const user = new Client(gateway.config({ batching: { gzip: false } })).asUser({ external_id: "1" });
    await Promise.all(Array.from({ length: 100 }, (_, n) => user.traits({ n })));
    expect(gateway.requests[0]?.headers).not.toHaveProperty("content-encoding");
    expect(gateway.entries()).toHaveLength(100);
  });

  it("reach an organization below localhost, which most resolvers do not know", async () => {
    const port = gateway.host.split(":")[1];
    const client = new Client(gateway.config({ organization: `acme.localhost:${port}` }));
    await client.asUser({ external_id: "1" }).traits({ n: 1 });
    expect(gateway.requests[0]).toMatchObject({ url: "/", headers: { host: `firehose.localhost:${port}` } });
  });
});

describe("a full queue", () => {
  it("refuses further entries at once, logs that, and accepts entries again when there is room", async () => {
    const batching = { maxQueueBytes: 10_000, maxEntries: 5, maxDelayMs: FOREVER_MS, timeoutMs: 200, maxAttempts: 2 };
    const client = new Client(gateway.config({ batching, onLog: undefined, captureLogs: true }));
    const user = client.asUser({ external_id: "1" });
    gateway.willDo(hang);
    const sent = Array.from({ length: 50 }, (_, n) => user.traits({ n }));
    await client.flush();
    const results = await Promise.allSettled(sent);
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused.length).toBeGreaterThan(30);
    expect(refused[0]?.reason).toMatchObject({ code: "queue_full", message: expect.stringContaining("maxQueueBytes") });
    expect(new Set(gateway.entries().map((entry) => entry.body.n)).size).toBe(50 - refused.length);
    const complaints = client.configuration().logs?.filter(({ message }) => message === "client.queue.full");
    expect(complaints).toHaveLength(1);

    const again = user.traits({ n: 51 });
    await client.flush();
    await expect(again).resolves.toEqual({ position: expect.any(String) });
  });
});

describe("a call that cannot be sent", () => {
  it.each([
    ["track without a name", (client: Client) => client.asUser("1").track("")],
    ["track with properties that are no object", (client: Client) => client.asUser("1").track("A", [] as never)],
    ["traits that are no object", (client: Client) => client.asUser("1").traits("pro" as never)],
    ["traits that are no JSON", (client: Client) => client.asUser("1").traits({ big: 1n })],
    ["an alias without a body", (client: Client) => client.asAccount("1").alias(undefined as never)],
  ])("is refused with a reason and logged: %s", async (_name, call) => {
    const client = new Client(gateway.config({ onLog: undefined, captureLogs: true }));
    await expect(call(client)).rejects.toMatchObject({ code: "invalid_argument" });
    expect(client.configuration().logs).toMatchObject([{ message: "client.entry.refused", level: "warn" }]);
    expect(gateway.requests).toEqual([]);
  });
});
