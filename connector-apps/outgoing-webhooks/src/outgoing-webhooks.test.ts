import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { accountMessage, segmentRecord, userMessage } from "@muster/connector/testing";
import type { UserUpdateMessage } from "@muster/protocol";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { orderPlaced } from "../../testing/order-placed.js";
import { itRefusesStrangers } from "../../testing/refuses-strangers.js";
import { setUpConnector } from "../../testing/set-up-connector.js";
import { createConnector } from "./create-connector.js";

interface Call {
  headers: IncomingHttpHeaders;
  text: string;
  body: Record<string, unknown>;
}

const customers = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e5", name: "Customers" });
const event = orderPlaced("0198c2a4f1d010a1b2c3d4e5");
const changed = { changes: { user: { traits_plan: ["free", "pro"] as [unknown, unknown] } } };

let receiver: ReturnType<typeof createServer>;
let receiverUrl: string;
let calls: Call[];
let script: ((response: ServerResponse) => void)[];
beforeEach(async () => {
  calls = [];
  script = [];
  receiver = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    calls.push({ headers: request.headers, text, body: JSON.parse(text) });
    (script.shift() ?? (() => response.end()))(response);
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterEach(() => {
  receiver.closeAllConnections();
  receiver.close();
});
const connector = setUpConnector(createConnector, () => ({
  connector: { private_settings: { url: receiverUrl } },
  segments: [customers],
}));

function configure(settings: Record<string, unknown>): void {
  Object.assign(connector.settings, settings);
}

function notifyUsers(...messages: UserUpdateMessage[]) {
  return connector.notify("user:update", ...messages);
}

const kinds = () => calls.map(({ body }) => body.kind).sort();

describe("a call", () => {
  it("is made for new and changed users, for events, and for entered and left segments", async () => {
    const answer = await notifyUsers(
      userMessage({ message_id: "m1", changes: { is_new: true } }),
      userMessage({ message_id: "m2", ...changed }),
      userMessage({ message_id: "m3", events: [event] }),
      userMessage({ message_id: "m4", changes: { segments: { entered: [customers], left: [] } } }),
      userMessage({ message_id: "m5", changes: { segments: { entered: [], left: [customers] } } }),
      userMessage({ message_id: "m6" }),
    );
    expect(answer.status).toBe(200);
    expect(kinds()).toEqual(["segment.entered", "segment.left", "user.created", "user.event", "user.updated"]);
    const entered = calls.find(({ body }) => body.kind === "segment.entered");
    expect(entered?.body).toMatchObject({
      segment: { id: customers.id, name: "Customers" },
      user: { id: expect.any(String) },
    });
    expect(calls.find(({ body }) => body.kind === "user.event")?.body).toMatchObject({
      event: { properties: { total: 120 } },
    });
  });

  it("is made for changed accounts", async () => {
    const changes = { account: { plan: ["a", "b"] as [unknown, unknown] } };
    await connector.notify("account:update", accountMessage({ changes }), accountMessage());
    expect(kinds()).toEqual(["account.updated"]);
  });

  it("is made only for the chosen triggers, attributes and events", async () => {
    configure({
      triggers: ["user.updated", "user.event"],
      watched_attributes: ["traits_mrr"],
      watched_events: ["Signed up"],
    });
    await notifyUsers(
      userMessage({ message_id: "m1", ...changed, events: [event] }),
      userMessage({ message_id: "m2", changes: { is_new: true } }),
      userMessage({ message_id: "m3", changes: { user: { traits_mrr: [1, 2] } } }),
    );
    expect(calls.map(({ headers }) => headers["x-delivery-id"])).toEqual(["m3:user.updated"]);
  });

  it("is made only for users in the chosen segments, and for a user who leaves one only about leaving", async () => {
    configure({ user_segments: [customers.id] });
    await notifyUsers(
      userMessage({ message_id: "in", ...changed, segments: [customers] }),
      userMessage({ message_id: "out", ...changed }),
      userMessage({
        message_id: "left",
        events: [event],
        changes: { user: { traits_plan: [1, 2] }, segments: { entered: [], left: [customers] } },
      }),
    );
    expect(calls.map(({ headers }) => headers["x-delivery-id"]).sort()).toEqual([
      "in:user.updated",
      `left:segment.left:${customers.id}`,
    ]);
  });

  it("is made for every user of a batch, whatever the triggers are", async () => {
    configure({ triggers: [] });
    const file = connector.platform.serve('{"id":"u1","email":"a@example.com"}\n{"id":"u2"}');
    await connector.call("/batch", { body: { url: file, format: "json", object_type: "user_report" } });
    await vi.waitFor(() => expect(kinds()).toEqual(["user.updated", "user.updated"]));
  });

  it("carries the template with its paths replaced, and values keep their types", async () => {
    configure({
      template:
        '{"to": "{{user.email}}", "n": "{{user.age}}", "text": "Hi {{user.name}}{{user.none}}!", "x": "{{a.b}}"}',
    });
    await notifyUsers(userMessage({ user: { id: "1", email: "a@b.c", age: 7, name: "Ada" }, ...changed }));
    expect(calls[0]?.body).toEqual({ to: "a@b.c", n: 7, text: "Hi Ada!", x: null });
  });

  it("carries the configured headers and a signature that can be checked", async () => {
    configure({ headers: [{ name: "Authorization", value: "Bearer t" }, {}], signing_secret: "shhh" });
    await notifyUsers(userMessage(changed));
    const [call] = calls;
    expect(call?.headers.authorization).toBe("Bearer t");
    const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(call?.headers["x-signature"])) ?? [];
    expect(signature).toBe(createHmac("sha256", "shhh").update(`${time}.${call?.text}`).digest("hex"));
  });
});

describe("a call that fails", () => {
  it.each([500, 503, 408])("with status %i is repeated later, and the calls that succeeded are not", async (status) => {
    const messages = [userMessage({ message_id: "m1", ...changed }), userMessage({ message_id: "m2", ...changed })];
    script = [(response) => response.writeHead(status).end()];
    expect(await notifyUsers(...messages)).toMatchObject({
      status: 503,
      body: {
        flow_control: { type: "retry" },
        results: [
          { message_id: "m1", result: "retried", status },
          { message_id: "m2", result: "accepted", status: 200 },
        ],
      },
    });
    const accepted = [{ result: "accepted" }, { result: "accepted" }];
    expect(await notifyUsers(...messages)).toMatchObject({ status: 200, body: { results: accepted } });
    expect(calls).toHaveLength(3);
  });

  it("with status 429 is repeated when the receiver says", async () => {
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now());
    onTestFinished(() => now.mockRestore());
    script = [(response) => response.writeHead(429, { "retry-after": "120" }).end()];
    const { body } = await notifyUsers(userMessage(changed));
    expect(body).toMatchObject({ flow_control: { type: "retry", in: 120_000 } });
  });

  it.each([302, 400, 404, 410])("with status %i is final, logged, and reported with its body", async (status) => {
    script = [(response) => response.writeHead(status, { location: "/elsewhere" }).end('{"error":"no such list"}')];
    expect(await notifyUsers(userMessage({ message_id: "m1", ...changed }))).toMatchObject({
      status: 200,
      body: { results: [{ message_id: "m1", result: "refused", status, body: '{"error":"no such list"}' }] },
    });
    expect(calls).toHaveLength(1);
    await vi.waitFor(() => expect(connector.platform.logs).toHaveLength(1));
    expect(connector.platform.logs[0]).toMatchObject({
      data: { hull_summary: expect.stringContaining(String(status)) },
    });
  });
});

describe("the report about a message", () => {
  it("is that of its worst call, and says when there was none to make", async () => {
    const several = userMessage({ message_id: "m1", ...changed, events: [event] });
    script = [(response) => response.end(), (response) => response.writeHead(422).end("bad event")];
    const { body } = await notifyUsers(several, userMessage({ message_id: "m2" }));
    expect(body).toMatchObject({
      results: [
        { message_id: "m1", result: "refused", status: 422, body: "bad event" },
        { message_id: "m2", result: "skipped", reason: "None of the chosen triggers is about this change." },
      ],
    });
  });

  it("stays the same when the message is repeated because of another one", async () => {
    const messages = [userMessage({ message_id: "m1", ...changed }), userMessage({ message_id: "m2", ...changed })];
    script = [(response) => response.writeHead(400).end("no"), (response) => response.writeHead(503).end()];
    await notifyUsers(...messages);
    const { body } = await notifyUsers(...messages);
    expect(body).toMatchObject({ results: [{ result: "refused", status: 400, body: "no" }, { result: "accepted" }] });
    expect(calls).toHaveLength(3);
  });

  it("is asked for again when somebody retries the refused message", async () => {
    script = [(response) => response.writeHead(400).end("no")];
    const message = userMessage({ message_id: "m1", ...changed });
    expect((await notifyUsers(message)).body).toMatchObject({ results: [{ result: "refused" }] });
    expect((await notifyUsers(message)).body).toMatchObject({ results: [{ result: "accepted" }] });
    expect(calls).toHaveLength(2);
  });
});

describe("the status", () => {
  it("says which setting is missing or wrong", async () => {
    expect(await connector.statusWith({})).toEqual({ status: "setupRequired", messages: ["Give the URL to send to."] });
    expect(await connector.statusWith({ url: "ftp://x" })).toMatchObject({ status: "error" });
    expect(await connector.statusWith({ url: "https://example.com", template: "{" })).toMatchObject({
      status: "error",
      messages: [expect.stringContaining("The template is not JSON")],
    });
    expect(await connector.statusWith({ url: "https://example.com" })).toEqual({ status: "ok", messages: [] });
  });
});

itRefusesStrangers(connector);
