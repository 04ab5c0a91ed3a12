import { userMessage } from "@muster/connector/testing";
import { describe, expect, test } from "vitest";
import type { Mapping } from "../mapping/mapping.js";
import { ownInstallation } from "../testing/own-installation.js";
import { SEGMENT } from "../testing/sample-events.js";
import { mappingFor, setUpDestination } from "../testing/set-up-destination.js";

const action = (perform: string) => `
  exports.default = {
    name: "Own destination",
    mode: "cloud",
    actions: { send: { title: "Send", fields: { email: { label: "E-mail", type: "string", default: { "@path": "$.traits.email" } } },
      perform: ${perform} } },
  };`;

const folder = ownInstallation({
  hangs: action(
    "(request, { payload }) => { while (payload.email === 'poison@example.com'); return request('https://a.example'); }",
  ),
  leaks: action(
    "(request, { payload }) => { const kept = []; while (payload.email === 'poison@example.com') kept.push({ kept: [1, 2, 3] }); return request('https://a.example'); }",
  ),
  throws: action(
    "(request, { payload }) => { if (payload.email === 'poison@example.com') setTimeout(() => { throw new Error('Nobody catches it.'); }); return new Promise((resolve) => setTimeout(() => resolve(request('https://a.example')), 50)); }",
  ),
  buffers: action(
    "async (request, { payload }) => { const kept = []; while (payload.email === 'poison@example.com') { kept.push(Buffer.alloc(1_000_000, 1)); await new Promise(setImmediate); } return request('https://a.example'); }",
  ),
  slow: action(
    "async (request, { payload }) => { await new Promise((resolve) => setTimeout(resolve, 300)); return request('https://a.example', { method: 'post', json: payload }); }",
  ),
  waits: action(
    "(request, { payload }) => payload.email === 'poison@example.com' ? new Promise(() => {}) : request('https://a.example')",
  ),
  neighbour: action("(request) => request('https://a.example')"),
});

const notice = (email: string) =>
  userMessage({
    message_id: `message-${email}`,
    user: { id: email, email },
    segments: [SEGMENT],
    changes: { user: { email: [null, email] } },
  });

/** What a thread gets of one connector that sends one user. */
function delivery(connectorId: string, mapping: Mapping, email: string) {
  const event = {
    type: "identify" as const,
    messageId: "m",
    timestamp: "",
    sentAt: "",
    receivedAt: "",
    traits: { email },
    context: {},
    integrations: {},
  };
  const account = { connectorId, settings: {}, secrets: [] };
  return { account, mappings: [mapping], items: [{ subject: "u", event, done: [] }] };
}

describe.each(["hangs", "leaks", "throws", "buffers"])("a destination that %s", (name) => {
  const limits = { folder, callMs: 3_000, memoryMb: 64 };
  const mapping = mappingFor(name, "send", 'type = "identify"', {}, folder);
  const destination = setUpDestination(name, { mappings: [mapping] }, limits);

  test("fails with this message, works for the next, and its neighbours go on meanwhile", async () => {
    const send = () => destination.threads.call("neighbour", "deliver", delivery("c", mapping, "ada@example.com"));
    await send();
    await destination.notify("user:update", notice("first@example.com"));
    const failing = destination.notify("user:update", notice("poison@example.com"));
    const beside = send();
    expect(await beside).toMatchObject([[{ outcome: { kind: "accepted" } }]]);
    const failed = await failing;
    // 500 blames the message: Muster makes the call smaller, until the message is alone and becomes a dead letter.
    expect(failed.status).toBe(500);
    expect(JSON.stringify(failed.body)).toContain("was interrupted");
    const { body } = await destination.notify("user:update", notice("ada@example.com"));
    expect(body).toMatchObject({ results: [{ result: "accepted" }] });
  });
});

describe("connectors of one destination", () => {
  const mapping = mappingFor("waits", "send", 'type = "identify"', {}, folder);
  const destination = setUpDestination("waits", { mappings: [mapping] }, { folder, callMs: 2_000 });
  const send = (connectorId: string, email: string) =>
    destination.threads.call("waits", "deliver", delivery(connectorId, mapping, email));

  test("are not blamed for the one that stops their thread, and have a thread of their own from then on", async () => {
    const accepted = [[{ mapping: "send", outcome: { kind: "accepted" } }]];
    expect(await send("innocent", "ada@example.com")).toMatchObject(accepted);
    const guilty = send("guilty", "poison@example.com");
    const beside = send("beside", "poison@example.com");
    for (const call of [guilty, beside]) await expect(call).rejects.toMatchObject({ wasShared: true });
    expect(destination.threads.size).toBe(0);

    const again = send("guilty", "poison@example.com");
    expect(await send("beside", "ada@example.com")).toMatchObject(accepted);
    expect(await send("innocent", "ada@example.com")).toMatchObject(accepted);
    expect(destination.threads.size).toBe(3);
    await expect(again).rejects.toMatchObject({ name: "DestinationStopped", wasShared: false });
    expect(destination.threads.size).toBe(2);
  });
});

describe("a slow service", () => {
  const mapping = mappingFor("slow", "send", 'type = "identify"', {}, folder);
  const destination = setUpDestination("slow", { mappings: [mapping] }, { folder, callMs: 2_500 });

  test("gets in each call what it has time for, and nobody twice", async () => {
    const emails = Array.from({ length: 60 }, (_each, index) => `user-${index}@example.com`);
    const call = async () => {
      const { status, body } = await destination.notify("user:update", ...emails.map(notice));
      const { results } = body as { results: { result: string }[] };
      return { status, accepted: results.filter(({ result }) => result === "accepted").length };
    };
    const first = await call();
    expect(first.status).toBe(503);
    expect(first.accepted).toBeGreaterThan(0);
    let last = first;
    while (last.accepted < emails.length) {
      const next = await call();
      expect(next.accepted).toBeGreaterThan(last.accepted);
      last = next;
    }
    expect(last.status).toBe(200);
    const sent = destination.recorder.requests.map(({ body }) => (JSON.parse(body) as { email: string }).email);
    expect(sent.sort()).toEqual([...emails].sort());
  });
});
