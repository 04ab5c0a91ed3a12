import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Client } from "../client.js";
import {
  answerJson,
  type Behaviour,
  CONNECTOR_ID,
  type FakeGateway,
  hang,
  refuse,
  reset,
  SECRET,
  startFakeGateway,
} from "../testing/fake-gateway.js";

let gateway: FakeGateway;
let client: Client;

beforeEach(async () => {
  gateway = await startFakeGateway();
  client = new Client(gateway.config({ onLog: undefined, captureLogs: true }));
});
afterEach(() => gateway.close());

const OK = answerJson(200, { ok: true });

describe("a raw call", () => {
  it.each(["get", "post", "put", "delete", "del"] as const)(
    "by %s goes below the prefix with the credentials",
    async (method) => {
      gateway.willDo(OK);
      expect(await client[method]("/app/status")).toEqual({ ok: true });
      expect(gateway.requests[0]).toMatchObject({
        method: method === "del" ? "DELETE" : method.toUpperCase(),
        url: "/api/v1/app/status",
        headers: { "svc-app-id": CONNECTOR_ID, "svc-access-token": SECRET, "svc-organization": gateway.host },
      });
    },
  );

  it("by `request` accepts the method in upper or lower case and refuses unknown ones", async () => {
    gateway.willDo(OK);
    await client.request("app", "put", { settings: {} });
    expect(gateway.requests[0]).toMatchObject({ method: "PUT", url: "/api/v1/app", text: '{"settings":{}}' });
    await expect(client.request("app", "brew")).rejects.toMatchObject({ code: "invalid_argument" });
  });

  it("puts the parameters of a GET into the query, objects as JSON", async () => {
    gateway.willDo(OK);
    const where = { name: "A & B", $or: [{ n: 1 }] };
    await client.get("/entities?sort=name", { page: 2, where, since: new Date(0), missing: undefined, all: true });
    const url = new URL(gateway.requests[0]?.url ?? "", "http://localhost");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      sort: "name",
      page: "2",
      where: JSON.stringify(where),
      since: "1970-01-01T00:00:00.000Z",
      all: "true",
    });
    expect(gateway.requests[0]?.text).toBe("");
  });

  it.each(["post", "put", "delete"] as const)("puts the parameters of %s into a JSON body", async (method) => {
    gateway.willDo(OK);
    await client[method]("/me/alias", { anonymous_id: "ü" });
    expect(gateway.requests[0]).toMatchObject({
      text: '{"anonymous_id":"ü"}',
      headers: { "content-type": "application/json" },
    });
  });

  it("of a scoped client is made with the subject's token", async () => {
    gateway.willDo(OK);
    const user = client.asUser({ email: "ada@example.com" });
    await user.get("/me");
    expect(gateway.requests[0]?.headers["svc-access-token"]?.toString().split(".")).toHaveLength(3);
  });

  it("goes to another prefix when one is configured", async () => {
    gateway.willDo(OK);
    await new Client(gateway.config({ prefix: "/v9/" })).get("me");
    expect(gateway.requests[0]?.url).toBe("/v9/me");
  });

  it("waits for the position that `waitFor` gives", async () => {
    gateway.willDo(OK);
    await client.get("/me", {}, { waitFor: "p1" });
    expect(gateway.requests[0]?.headers["svc-wait-for"]).toBe("p1");
  });

  it("resolves to nothing, text or JSON, as the server answered", async () => {
    gateway.willDo(
      (_request, response) => response.writeHead(204).end(),
      (_request, response) => response.writeHead(200, { "Content-Type": "text/plain" }).end("plain"),
      answerJson(201, [1, 2]),
    );
    expect([await client.get("a"), await client.get("b"), await client.get("c")]).toEqual([undefined, "plain", [1, 2]]);
  });

  it("refuses unusable options and parameters", async () => {
    const calls = [
      client.get("/x", {}, { timeout: 0 }),
      client.get("/x", {}, { timeout: Number.NaN }),
      client.get("/x", {}, { retry: -1 }),
      client.post("/x", { big: 1n }),
    ];
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "invalid_argument" } });
    }
    expect(gateway.requests).toEqual([]);
  });

  it("refuses a full address, which would get the secret", async () => {
    for (const address of ["https://evil.example.com/", "//evil.example.com/"]) {
      await expect(client.get(address)).rejects.toMatchObject({ code: "invalid_argument" });
    }
    expect(gateway.requests).toEqual([]);
  });
});

describe("a refused call", () => {
  it("rejects with the server's code, message, status and details", async () => {
    const details = [{ path: "query", message: "is missing" }];
    gateway.willDo(
      answerJson(400, { error: { code: "missing_parameters", message: "Give a query.", details }, status: 400 }),
    );
    await expect(client.post("/search/user_report")).rejects.toMatchObject({
      name: "ClientError",
      code: "missing_parameters",
      message: "Give a query.",
      status: 400,
      details,
    });
    expect(gateway.requests).toHaveLength(1);
  });

  it("rejects with the status when the server gives no reason", async () => {
    gateway.willDo((_request, response) => response.writeHead(404).end("nothing here"));
    await expect(client.get("/x")).rejects.toMatchObject({ code: "unexpected_answer", status: 404 });
  });

  it("rejects when the answer is not valid JSON although its content type says so", async () => {
    gateway.willDo((_request, response) => response.writeHead(200, { "Content-Type": "application/json" }).end("{"));
    await expect(client.get("/x")).rejects.toMatchObject({ code: "unexpected_answer", status: 200 });
  });
});

describe("a call is made again", () => {
  const retry = 1;

  it.each<[string, "get" | "put" | "delete" | "post", Behaviour]>([
    ["a GET after 503", "get", refuse(503, "unavailable")],
    ["a POST after 503", "post", refuse(503, "unavailable")],
    ["a GET after 500", "get", refuse(500, "internal")],
    ["a PUT after a cut connection", "put", reset],
    ["a DELETE after a cut connection", "delete", reset],
    ["a GET after a time-out", "get", hang],
    ["a POST after the time-out it was given", "post", hang],
  ])("%s", async (_name, method, behaviour) => {
    gateway.willDo(behaviour, OK);
    expect(await client[method]("/app", {}, { timeout: 100, retry })).toEqual({ ok: true });
    expect(gateway.requests).toHaveLength(2);
    expect(client.configuration().logs).toMatchObject([{ level: "debug", message: "client.request.retry" }]);
  });

  it("after the wait that `retry` gives, whatever the server asks for", async () => {
    const waits = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => waits.mockRestore());
    gateway.willDo(refuse(503, "unavailable", { "Retry-After": "30" }), OK);
    await client.get("/app", {}, { retry: 80 });
    expect(gateway.requests).toHaveLength(2);
    const waitsMs = waits.mock.calls.map(([, ms]) => ms);
    expect(waitsMs).toContain(80);
    expect(waitsMs).not.toContain(30_000);
  });

  it("after the wait that the server asks for", async () => {
    const waits = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => waits.mockRestore());
    gateway.willDo(refuse(503, "unavailable", { "Retry-After": "1" }), OK);
    await client.get("/app");
    expect(gateway.requests).toHaveLength(2);
    expect(waits.mock.calls.map(([, ms]) => ms)).toContain(1_000);
  });

  it("at most twice", async () => {
    const unavailable = refuse(503, "unavailable");
    gateway.willDo(unavailable, unavailable, unavailable);
    await expect(client.get("/app", {}, { retry })).rejects.toMatchObject({ code: "unavailable", status: 503 });
    expect(gateway.requests).toHaveLength(3);
  });

  it.each<[string, Behaviour]>([
    ["a cut connection", reset],
    ["500", refuse(500, "internal")],
  ])("but not a POST after %s, because it may have taken effect", async (_name, behaviour) => {
    gateway.willDo(behaviour);
    await expect(client.post("/import/users", {}, { retry })).rejects.toThrow();
    expect(gateway.requests).toHaveLength(1);
  });

  it("but not after a `waitFor` that ran out of time", async () => {
    gateway.willDo(refuse(504, "wait_timeout"));
    await expect(client.get("/me", {}, { waitFor: "p9", retry })).rejects.toMatchObject({ code: "wait_timeout" });
    expect(gateway.requests).toHaveLength(1);
  });

  it("but not after a question that took too long", async () => {
    gateway.willDo(refuse(504, "question_timeout"));
    const asked = client.get("/search/user_reports", {}, { retry });
    await expect(asked).rejects.toMatchObject({ code: "question_timeout" });
    expect(gateway.requests).toHaveLength(1);
  });

  it("also for a POST when nothing listens at the address, which the error names", async () => {
    await gateway.close();
    const failed = client.post("/app", {}, { retry });
    await expect(failed).rejects.toMatchObject({
      code: "connection_failed",
      message: expect.stringContaining(gateway.host),
    });
    expect(client.configuration().logs).toHaveLength(2);
    gateway = await startFakeGateway();
  });
});
