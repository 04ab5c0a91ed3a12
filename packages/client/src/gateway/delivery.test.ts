import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Client } from "../client.js";
import {
  answerJson,
  type Behaviour,
  createBatchDoor,
  entriesOf,
  type FakeGateway,
  hang,
  refuse,
  reset,
  startFakeGateway,
} from "../testing/fake-gateway.js";

let gateway: FakeGateway;

beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

/** Sends three entries in one batch and returns the result of each. */
async function sendThree(client: Client): Promise<PromiseSettledResult<unknown>[]> {
  const user = client.asUser({ external_id: "1" });
  const sent = [1, 2, 3].map((n) => user.traits({ n }));
  await client.flush();
  return Promise.allSettled(sent);
}

const ACCEPTED = { status: "fulfilled", value: { position: "p1" } };

function refusedWith(code: string) {
  return { status: "rejected", reason: { name: "ClientError", code } };
}

describe("each promise settles with its own entry's verdict", () => {
  it("when some entries are refused", async () => {
    const rejected = [{ index: 1, code: "invalid_token", message: "The token has expired." }];
    gateway.willDo(answerJson(200, { position: "p1", accepted: 2, rejected, duplicate: false }));
    const results = await sendThree(new Client(gateway.config()));
    expect(results).toMatchObject([ACCEPTED, refusedWith("invalid_token"), ACCEPTED]);
    expect(results[1]).toMatchObject({ reason: { message: "The token has expired." } });
  });

  it("when all entries are refused, each for its own reason", async () => {
    const rejected = [
      { index: 0, code: "invalid_token", message: "No token." },
      { index: 1, code: "bad_request", message: "No type." },
    ];
    const error = { code: "batch_refused", message: "No entry can be accepted.", details: [] };
    gateway.willDo(answerJson(400, { error, rejected, status: 400 }));
    const results = await sendThree(new Client(gateway.config()));
    expect(results).toMatchObject(["invalid_token", "bad_request", "batch_refused"].map(refusedWith));
  });

  it("when all entries are refused and the reasons come as details", async () => {
    const details = [{ path: "body.batch.1", message: "is not an object" }];
    const error = { code: "batch_refused", message: "No entry can be accepted.", details };
    gateway.willDo(answerJson(400, { error, status: 400 }));
    const results = await sendThree(new Client(gateway.config()));
    expect(results.map((result) => result.status === "rejected" && result.reason.message)).toEqual([
      "No entry can be accepted.",
      "is not an object",
      "No entry can be accepted.",
    ]);
  });

  it("and a refused entry is logged without its values", async () => {
    const rejected = [{ index: 0, code: "invalid_token", message: "The token has expired." }];
    gateway.willDo(answerJson(200, { position: "p1", accepted: 0, rejected, duplicate: false }));
    const client = new Client(gateway.config({ onLog: undefined, captureLogs: true }));
    await sendThree(client);
    expect(client.configuration().logs).toMatchObject([
      {
        level: "warn",
        message: "client.entry.refused",
        context: { user_external_id: "1" },
        data: { type: "traits", code: "invalid_token", reason: "The token has expired." },
      },
    ]);
  });
});

describe("a batch is sent again", () => {
  it.each<[string, Behaviour]>([
    ["503", refuse(503, "unavailable")],
    ["500", refuse(500, "internal")],
    ["502 of a proxy", (_request, response) => response.writeHead(502).end("<html>Bad gateway</html>")],
    ["429", refuse(429, "too_many_requests", { "Retry-After": "0" })],
    ["a cut connection", reset],
    [
      "half an answer",
      (_request, response) => response.writeHead(200, { "Content-Length": "500" }).write("{", () => response.destroy()),
    ],
  ])("after %s", async (_name, behaviour) => {
    gateway.willDo(behaviour);
    expect(await sendThree(new Client(gateway.config()))).toMatchObject([ACCEPTED, ACCEPTED, ACCEPTED]);
    expect(gateway.requests).toHaveLength(2);
  });

  it("after a time-out", async () => {
    gateway.willDo(hang);
    const client = new Client(gateway.config({ batching: { timeoutMs: 50 } }));
    expect(await sendThree(client)).toMatchObject([ACCEPTED, ACCEPTED, ACCEPTED]);
  });

  it("no sooner than Retry-After says", async () => {
    const waits = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => waits.mockRestore());
    gateway.willDo(refuse(503, "unavailable", { "Retry-After": "1" }));
    await sendThree(new Client(gateway.config()));
    expect(gateway.requests).toHaveLength(2);
    expect(waits.mock.calls.map(([, ms]) => ms)).toContain(1_000);
  });

  it("with the same entries and a new time of sending, so the gateway recognises it and can correct our clock", async () => {
    const door = createBatchDoor();
    const acceptAndCut: Behaviour = (request, response) => {
      door(request, response.destroy());
    };
    gateway.willDo(acceptAndCut, door);
    expect(await sendThree(new Client(gateway.config()))).toMatchObject([ACCEPTED, ACCEPTED, ACCEPTED]);
    const [first, second] = gateway.requests.map((request) => JSON.parse(request.text));
    expect(second.batch).toEqual(first.batch);
    expect(second.sentAt > first.sentAt).toBe(true);
  });

  it("before any later entry, so that the order holds", async () => {
    gateway.willDo(refuse(503, "unavailable"));
    const client = new Client(gateway.config({ batching: { maxEntries: 2 } }));
    const user = client.asUser({ external_id: "1" });
    await Promise.all([1, 2, 3, 4].map((n) => user.traits({ n })));
    expect(gateway.entries().map((entry) => entry.body.n)).toEqual([1, 2, 1, 2, 3, 4]);
  });

  it("in halves when it is too large for the gateway, until only an entry that is too large fails", async () => {
    const tooLarge = refuse(413, "payload_too_large");
    gateway.willDo(tooLarge, tooLarge, tooLarge);
    const results = await sendThree(new Client(gateway.config()));
    expect(gateway.requests.map((request) => entriesOf(request).map((entry) => entry.body.n))).toEqual([
      [1, 2, 3],
      [1, 2],
      [1],
      [2],
      [3],
    ]);
    expect(results).toMatchObject([refusedWith("payload_too_large"), { status: "fulfilled" }, { status: "fulfilled" }]);
  });
});

describe("a batch is given up", () => {
  it("after the last attempt, with the last reason, and later batches are still sent", async () => {
    gateway.willDo(refuse(503, "unavailable"), reset);
    const client = new Client(gateway.config({ batching: { maxAttempts: 2 }, onLog: undefined, captureLogs: true }));
    expect(await sendThree(client)).toMatchObject(
      ["connection_failed", "connection_failed", "connection_failed"].map(refusedWith),
    );
    expect(client.configuration().logs).toMatchObject([
      { level: "warn", message: "client.batch.retry", data: { attempt: 1, code: "unavailable", entries: 3 } },
      { level: "error", message: "client.batch.failed", data: { attempt: 2, code: "connection_failed", entries: 3 } },
    ]);
    expect(await sendThree(client)).toMatchObject([ACCEPTED, ACCEPTED, ACCEPTED]);
  });

  it("at once when the credentials are refused", async () => {
    gateway.willDo(refuse(401, "unauthorized"));
    const results = await sendThree(new Client(gateway.config()));
    expect(results).toMatchObject(["unauthorized", "unauthorized", "unauthorized"].map(refusedWith));
    expect(results[0]).toMatchObject({ reason: { status: 401, message: "Refused: unauthorized." } });
    expect(gateway.requests).toHaveLength(1);
  });

  it("when a server that is not the gateway answers with 200", async () => {
    gateway.willDo((_request, response) => response.writeHead(200).end("<html>Welcome</html>"));
    const results = await sendThree(new Client(gateway.config()));
    expect(results).toMatchObject(["unexpected_answer", "unexpected_answer", "unexpected_answer"].map(refusedWith));
  });

  it("when nobody listens at the address", async () => {
    const config = gateway.config({ batching: { maxAttempts: 1 } });
    await gateway.close();
    const results = await sendThree(new Client(config));
    expect(results[0]).toMatchObject({
      reason: { code: "connection_failed", message: expect.stringContaining("ECONNREFUSED") },
    });
    gateway = await startFakeGateway();
  });

  it("also when the log function fails; the log entry goes to standard error instead", async () => {
    gateway.willDo(refuse(401, "unauthorized"));
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const onLog = () => {
      throw new Error("disk full");
    };
    const results = await sendThree(new Client(gateway.config({ onLog })));
    expect(results).toMatchObject(["unauthorized", "unauthorized", "unauthorized"].map(refusedWith));
    expect(written).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("client.batch.failed"));
    written.mockRestore();
  });
});
