import {
  accountMessage,
  type FakePlatform,
  type RunningConnector,
  runConnector,
  segmentRecord,
  startFakePlatform,
  userMessage,
} from "@muster/connector/testing";
import type { UserUpdateMessage } from "@muster/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createConnector } from "./create-connector.js";

const USER_ID = "0198c2a4f1d010a1b2c3d4e5";
const user = { id: USER_ID, email: "ada@example.com", traits_plan: "pro" };
const event = {
  event: "Order placed",
  event_id: "e1",
  event_source: "shop",
  event_type: "track",
  created_at: "2026-01-01T00:00:00.000Z",
  user_id: USER_ID,
  anonymous_id: null,
  session_id: null,
  properties: { total: 120 },
  context: {},
};

let platform: FakePlatform;
let running: RunningConnector;
beforeEach(async () => {
  platform = await startFakePlatform();
  const options = { port: 0, hostSecret: "host", clientConfig: { onLog: () => {} }, sendErrorLogs: true };
  running = await runConnector(createConnector(options));
});
afterEach(async () => {
  await running.close();
  await platform.close();
});

function configure(settings: Record<string, unknown>): void {
  Object.assign(platform.connector.private_settings, settings);
}

function notify(...messages: UserUpdateMessage[]) {
  return platform.notify(`${running.url}/smart-notifier`, { channel: "user:update", messages });
}

describe("a script", () => {
  it("computes attributes and events of the user it runs for, from all it is told", async () => {
    configure({
      user_code: `
        traits({ domain: user.email.split("@")[1], spent: events[0].properties.total, in: segments.map((s) => s.name) });
        if (changes.user.traits_plan) track("Upgraded", { from: changes.user.traits_plan[0] });`,
    });
    const segments = [segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e5", name: "Customers" })];
    const answer = await notify(
      userMessage({ user, events: [event], segments, changes: { user: { traits_plan: ["free", "pro"] } } }),
    );
    expect(answer.status).toBe(200);
    const subject = { subjectType: "user", asUser: { id: USER_ID } };
    expect(platform.entries).toMatchObject([
      { ...subject, type: "traits", body: { domain: "example.com", spent: 120, in: ["Customers"] } },
      {
        ...subject,
        type: "track",
        body: { event: "Upgraded", properties: { from: "free" }, source: "processor", event_id: "message-1:1" },
      },
    ]);
  });

  it("computes attributes of accounts, and of others", async () => {
    configure({
      account_code: `traits({ size: account.employees > 100 ? "large" : "small" });
        asUser({ external_id: account.owner }).traits({ owns: true });`,
    });
    const account = { id: "0198c2a4f1d011a1b2c3d4e5", employees: 120, owner: "42" };
    const notice = { channel: "account:update", messages: [accountMessage({ account })] };
    await platform.notify(`${running.url}/smart-notifier`, notice);
    expect(platform.entries).toMatchObject([
      { asAccount: { id: account.id }, body: { size: "large" } },
      { asUser: { external_id: "42" }, body: { owns: true } },
    ]);
  });

  it("that fails does nothing, and people are told", async () => {
    configure({ user_code: "traits({ a: 1 }); user.company.name;" });
    expect((await notify(userMessage({ user }))).status).toBe(200);
    await vi.waitFor(() => expect(platform.logs).toHaveLength(1));
    expect(platform.logs[0]).toMatchObject({ data: { hull_summary: expect.stringContaining("TypeError") } });
    expect(platform.entries).toEqual([]);
  });

  it("that never ends does not keep the others from being processed", async () => {
    configure({ user_code: `if (user.email === "ada@example.com") while (true) {} traits({ done: true });` });
    await notify(
      userMessage({ user }),
      userMessage({ user: { id: "0198c2a4f1d010a1b2c3d4e6", email: "bo@example.com" } }),
    );
    expect(platform.entries).toMatchObject([{ asUser: { id: "0198c2a4f1d010a1b2c3d4e6" }, body: { done: true } }]);
  });

  it("runs for those in the chosen segments, and for everybody in a batch", async () => {
    configure({ user_code: "traits({ done: true })", user_segments: ["0198c2a4f1d020a1b2c3d4e5"] });
    await notify(userMessage({ user }));
    expect(platform.entries).toEqual([]);
    const file = platform.serve(JSON.stringify(user));
    await platform.call(`${running.url}/batch`, { body: { url: file, format: "json", object_type: "user_report" } });
    await vi.waitFor(() => expect(platform.entries).toHaveLength(1));
  });
});

describe("loops", () => {
  it("end because nothing is set that is so already", async () => {
    configure({ user_code: `traits({ plan: "pro", tags: ["a"], gone: null })` });
    await notify(userMessage({ user: { ...user, traits_tags: ["a"] } }));
    expect(platform.entries).toEqual([]);
  });

  it("end because news of what the script did does not run it again", async () => {
    configure({ user_code: `traits({ score: Math.random() }); track("Scored");` });
    await notify(userMessage({ user, changes: { user: { traits_plan: ["free", "pro"] } } }));
    expect(platform.entries).toHaveLength(2);
    const echo = { ...event, event: "Scored", event_source: "processor" };
    await notify(userMessage({ user, events: [echo], changes: { user: { traits_score: [null, 0.5] } } }));
    await notify(userMessage({ user, events: [echo] }));
    expect(platform.entries).toHaveLength(2);
    await notify(userMessage({ user, events: [echo, event] }));
    expect(platform.entries).toHaveLength(4);
  });

  it("are not begun by counting", async () => {
    configure({ user_code: `traits({ visits: { operation: "inc", value: 1 }, ok: true })` });
    await notify(userMessage({ user }));
    expect(platform.entries).toMatchObject([{ body: { ok: true } }]);
    await vi.waitFor(() => expect(platform.logs).toHaveLength(1));
    expect(platform.logs[0]).toMatchObject({ data: { hull_summary: expect.stringContaining('"visits"') } });
  });
});

describe("the preview", () => {
  it("shows what a script would do for a real user, and does nothing", async () => {
    platform.willAnswer("POST /search/user_reports", { data: [{ ...user, account: { id: "a", name: "Acme" } }] });
    platform.willAnswer("POST /search/events", { data: [event] });
    const code = `traits({ plan: "pro", company: account.name, orders: events.length }); console.log(user.id);`;
    const { status, body } = await platform.call(`${running.url}/preview`, { body: { identifier: user.email, code } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: { id: USER_ID },
      actions: [{ kind: "traits", attributes: { company: "Acme", orders: 1 } }],
      logs: [USER_ID],
      problems: [],
      error: null,
    });
    expect(platform.entries).toEqual([]);
    expect(platform.calls).toContainEqual(
      expect.objectContaining({ body: expect.objectContaining({ query: { bool: expect.anything() } }) }),
    );
  });

  it("says when there is nobody", async () => {
    platform.willAnswer("POST /search/account_reports", { data: [] });
    const body = { entity: "account", identifier: "none.example.com" };
    expect((await platform.call(`${running.url}/preview`, { body })).status).toBe(404);
  });

  it("is on a page that holds the present script", async () => {
    configure({ user_code: `traits({ a: "<b>" })` });
    const { text } = await platform.call(`${running.url}/editor`);
    expect(text).toContain("traits({ a: &#34;&lt;b&gt;&#34; })");
    expect(text).not.toContain(platform.credentials.secret);
  });
});
