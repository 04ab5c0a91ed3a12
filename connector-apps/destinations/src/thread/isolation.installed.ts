import { userMessage } from "@muster/connector/testing";
import { describe, expect, test } from "vitest";
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
  neighbour: action("(request) => request('https://a.example')"),
});

const notice = (email: string) =>
  userMessage({
    message_id: `message-${email}`,
    user: { id: email, email },
    segments: [SEGMENT],
    changes: { user: { email: [null, email] } },
  });

describe.each(["hangs", "leaks", "throws"])("a destination that %s", (name) => {
  const limits = { folder, callMs: 3_000, memoryMb: 64 };
  const mapping = mappingFor(name, "send", 'type = "identify"', {}, folder);
  const destination = setUpDestination(name, { mappings: [mapping] }, limits);

  test("fails with this message, works for the next, and its neighbours go on meanwhile", async () => {
    const account = { connectorId: "c", settings: {}, secrets: [] };
    const event = {
      type: "identify",
      messageId: "m",
      timestamp: "",
      sentAt: "",
      receivedAt: "",
      context: {},
      integrations: {},
    } as const;
    const send = () =>
      destination.threads.call("neighbour", "deliver", {
        account,
        mappings: [mapping],
        items: [{ subject: "u", event, done: [] }],
      });
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
