import { accountMessage, segmentRecord, userMessage } from "@muster/connector/testing";
import type { UserUpdateMessage } from "@muster/protocol";
import { describe, expect, it, vi } from "vitest";
import { orderPlaced } from "../../testing/order-placed.js";
import { itRefusesStrangers } from "../../testing/refuses-strangers.js";
import { setUpConnector } from "../../testing/set-up-connector.js";
import { createConnector } from "./create-connector.js";

const USER_ID = "0198c2a4f1d010a1b2c3d4e5";
const user = { id: USER_ID, email: "ada@example.com", traits_plan: "pro" };
const event = orderPlaced(USER_ID);

const connector = setUpConnector(createConnector);

function configure(settings: Record<string, unknown>): void {
  Object.assign(connector.settings, settings);
}

function notify(...messages: UserUpdateMessage[]) {
  return connector.notify("user:update", ...messages);
}

describe("a script", () => {
  it("computes attributes and events of the user from the whole message", async () => {
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
    expect(connector.platform.entries).toMatchObject([
      { ...subject, type: "traits", body: { domain: "example.com", spent: 120, in: ["Customers"] } },
      {
        ...subject,
        type: "track",
        body: { event: "Upgraded", properties: { from: "free" }, source: "processor", event_id: "message-1:1" },
      },
    ]);
  });

  it("computes attributes of the account, and of other subjects", async () => {
    configure({
      account_code: `traits({ size: account.employees > 100 ? "large" : "small" });
        asUser({ external_id: account.owner }).traits({ owns: true });`,
    });
    const account = { id: "0198c2a4f1d011a1b2c3d4e5", employees: 120, owner: "42" };
    await connector.notify("account:update", accountMessage({ account }));
    expect(connector.platform.entries).toMatchObject([
      { asAccount: { id: account.id }, body: { size: "large" } },
      { asUser: { external_id: "42" }, body: { owns: true } },
    ]);
  });

  it("that fails changes nothing, and the failure is logged", async () => {
    configure({ user_code: "traits({ a: 1 }); user.company.name;" });
    expect((await notify(userMessage({ user }))).status).toBe(200);
    await vi.waitFor(() => expect(connector.platform.logs).toHaveLength(1));
    expect(connector.platform.logs[0]).toMatchObject({ data: { hull_summary: expect.stringContaining("TypeError") } });
    expect(connector.platform.entries).toEqual([]);
  });

  it("that never ends does not prevent the next message from being processed", async () => {
    configure({ user_code: `if (user.email === "ada@example.com") while (true) {} traits({ done: true });` });
    await notify(
      userMessage({ user }),
      userMessage({ user: { id: "0198c2a4f1d010a1b2c3d4e6", email: "bo@example.com" } }),
    );
    expect(connector.platform.entries).toMatchObject([
      { asUser: { id: "0198c2a4f1d010a1b2c3d4e6" }, body: { done: true } },
    ]);
  });

  it("runs for users in the chosen segments, and for every user of a batch", async () => {
    configure({ user_code: "traits({ done: true })", user_segments: ["0198c2a4f1d020a1b2c3d4e5"] });
    await notify(userMessage({ user }));
    expect(connector.platform.entries).toEqual([]);
    const file = connector.platform.serve(JSON.stringify(user));
    await connector.call("/batch", { body: { url: file, format: "json", object_type: "user_report" } });
    await vi.waitFor(() => expect(connector.platform.entries).toHaveLength(1));
  });
});

describe("a loop", () => {
  it("ends because attributes that have their value are not set again", async () => {
    configure({ user_code: `traits({ plan: "pro", tags: ["a"], gone: null })` });
    await notify(userMessage({ user: { ...user, traits_tags: ["a"] } }));
    expect(connector.platform.entries).toEqual([]);
  });

  it("ends because the script does not run for its own changes", async () => {
    configure({ user_code: `traits({ score: events.length + 1 }); track("Scored");` });
    await notify(userMessage({ user, changes: { user: { traits_plan: ["free", "pro"] } } }));
    expect(connector.platform.entries).toHaveLength(2);
    const echo = { ...event, event: "Scored", event_source: "processor" };
    await notify(userMessage({ user, events: [echo], changes: { user: { traits_score: [null, 0.5] } } }));
    await notify(userMessage({ user, events: [echo] }));
    expect(connector.platform.entries).toHaveLength(2);
    await notify(userMessage({ user, events: [echo, event] }));
    expect(connector.platform.entries).toHaveLength(4);
  });

  it("is not started by increments, which are refused", async () => {
    configure({ user_code: `traits({ visits: { operation: "inc", value: 1 }, ok: true })` });
    await notify(userMessage({ user }));
    expect(connector.platform.entries).toMatchObject([{ body: { ok: true } }]);
    await vi.waitFor(() => expect(connector.platform.logs).toHaveLength(1));
    expect(connector.platform.logs[0]).toMatchObject({ data: { hull_summary: expect.stringContaining('"visits"') } });
  });
});

describe("the preview", () => {
  it("shows what a script would do for a real user, and saves nothing", async () => {
    connector.platform.willAnswer("POST /search/user_reports", {
      data: [{ ...user, account: { id: "a", name: "Acme" } }],
    });
    connector.platform.willAnswer("POST /search/events", { data: [event] });
    const code = `traits({ plan: "pro", company: account.name, orders: events.length }); console.log(user.id);`;
    const { status, body } = await connector.call("/preview", { body: { identifier: user.email, code } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: { id: USER_ID },
      actions: [{ kind: "traits", attributes: { company: "Acme", orders: 1 } }],
      logs: [USER_ID],
      problems: [],
      error: null,
    });
    expect(connector.platform.entries).toEqual([]);
    expect(connector.platform.calls).toContainEqual(
      expect.objectContaining({ body: expect.objectContaining({ query: { bool: expect.anything() } }) }),
    );
  });

  it("says which attributes would change, and where a script fails", async () => {
    const preview = async (code: string) => {
      connector.platform.willAnswer("POST /search/user_reports", { data: [user] });
      connector.platform.willAnswer("POST /search/events", { data: [] });
      return (await connector.call("/preview", { body: { identifier: user.id, code } })).body;
    };
    expect(await preview(`traits({ plan: "free" });\ntraits({ score: 1, plan: "team" });`)).toMatchObject({
      differences: [
        { attribute: "plan", before: "pro", after: "team" },
        { attribute: "score", before: null, after: 1 },
      ],
      line: null,
      time_ms: expect.any(Number),
    });
    expect(await preview(`traits({ score: 1 });\nuser.company.name;`)).toMatchObject({
      differences: [],
      error: expect.stringContaining("TypeError"),
      line: 2,
    });
  });

  it("sums up what a script would do for the users of a segment", async () => {
    const others = [1, 2, 3].map((number) => ({ id: `${USER_ID.slice(0, -1)}${number}`, name: `User ${number}` }));
    connector.platform.willAnswer("POST /search/user_reports", { data: [{ ...user, name: "Ada" }, ...others] });
    connector.platform.willAnswer("POST /search/events", { data: [event] });
    const code = `if (user.name === "User 3") user.company.name;
      if (events.length > 0) traits({ orders: events.length });
      if (user.email) track("Scored");`;
    const { body } = await connector.call("/try", { body: { segment_id: "0198c2a4f1d020a1b2c3d4e5", code } });
    expect(body).toMatchObject({
      found: 4,
      tried: 4,
      changed: 1,
      failed: 1,
      attributes: [{ attribute: "orders", count: 1, examples: [{ id: USER_ID, name: "Ada", before: null, after: 1 }] }],
      events: [{ event: "Scored", count: 1, subjects: 1 }],
      errors: [{ error: expect.stringContaining("TypeError"), line: 1, count: 1, examples: [{ name: "User 3" }] }],
    });
    expect(connector.platform.entries).toEqual([]);
    const asked = connector.platform.calls.map(({ body: sent }) => sent);
    expect(asked).toContainEqual(
      expect.objectContaining({ query: { term: { segment_ids: "0198c2a4f1d020a1b2c3d4e5" } }, per_page: 50 }),
    );
  });

  it("answers 404 when there is no such account", async () => {
    connector.platform.willAnswer("POST /search/account_reports", { data: [] });
    const body = { entity: "account", identifier: "none.example.com" };
    expect((await connector.call("/preview", { body })).status).toBe(404);
  });

  it("has a page with the current script", async () => {
    configure({ user_code: `traits({ a: "<b>" })` });
    const { text } = await connector.call("/editor");
    expect(text).toContain("traits({ a: &#34;&lt;b&gt;&#34; })");
    expect(text).not.toContain(connector.platform.credentials.secret);
  });
});

itRefusesStrangers(connector);
