import { afterAll, beforeAll, expect, test } from "vitest";
import { openOrganization, Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let globex: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  globex = await openOrganization(server, "globex");
});
afterAll(() => server.close());

/** Everything ClickHouse answers about, as it answers. */
async function everything() {
  const { rows } = server.clickhouse;
  const documents = (table: string) =>
    rows<{ org: string; doc: string; version: number }>(
      `select org, doc, version from ${table} final order by org, id`,
    );
  const withoutIndexedAt = ({ doc, ...row }: { doc: string }) => ({
    ...row,
    doc: { ...JSON.parse(doc), indexed_at: "" },
  });
  return {
    users: (await documents("users")).map(withoutIndexedAt),
    accounts: (await documents("accounts")).map(withoutIndexedAt),
    events: await rows(
      `select org, id, event, event_id, created_at, user_id, origin_id, account_id, source, type, session_id,
              anonymous_id, toString(properties) as properties, toString(context) as context, doc, version
       from events final
       order by org, id`,
    ),
    memberships: await rows(
      "select org, segment_id, entity_id, entered_at, version from memberships final order by org, segment_id, entity_id",
    ),
  };
}

const operator = (method: "GET" | "POST", organization = "default", all = false) =>
  server.app.inject({
    method,
    url: `/api/v1/rebuild${method === "GET" && all ? "?all=true" : ""}`,
    headers: { ...server.operatorHeaders, "Svc-Organization": organization },
    ...(method === "POST" ? { payload: { all } } : {}),
  });

async function rebuild(all = false) {
  const asked = await operator("POST", "default", all);
  expect(asked.statusCode).toBe(202);
  const phases = async () =>
    (await operator("GET", "default", all)).json().map(({ phase }: { phase: string }) => phase);
  await expect.poll(phases, { timeout: 20_000 }).toEqual(all ? ["done", "done"] : ["done"]);
}

const user = (name: string) => ({ user: { external_id: name, email: `${name}@example.com` } });

test("before any data there is nothing to rebuild, and that is quick", async () => {
  expect((await operator("GET")).json()).toMatchObject([{ organization: "default", phase: "none" }]);
  await rebuild();
  expect((await operator("GET")).json()).toMatchObject([{ phase: "done", documents: 0, changes_total: 0 }]);
});

test("after a rebuild every answer is the same: users, accounts, events, merges, overwritten events, memberships", async () => {
  const segment = await sender.call("POST", "/users_segments", {
    payload: { name: "Pros", query: { term: { traits_plan: "pro" } }, predicate: {} },
  });
  expect(segment.statusCode).toBe(201);
  const account = { domain: "acme.example" };
  await sender.settle([
    sender.traits({ ...user("ann"), account }, { plan: "pro", seats: 3 }),
    sender.traits({ user: { anonymous_id: "visitor" } }, { via: "ads" }),
    sender.track({ user: { anonymous_id: "visitor" } }, "Visited", { ip: "8.8.8.8", properties: { page: 1 } }),
    sender.track(user("ann"), "Ordered", { event_id: "o-1", properties: { amount: 1 } }, new Date(Date.now() - 60_000)),
    sender.traits({ account: { anonymous_id: "account-visitor" } }, { tier: "gold" }),
  ]);
  await sender.settle([
    sender.traits({ user: { ...user("ann").user, anonymous_id: "visitor" } }, { plan: "free" }),
    sender.track(user("ann"), "Ordered", { event_id: "o-1", properties: { amount: 2 } }),
    sender.traits({ account: { ...account, anonymous_id: "account-visitor" } }, {}),
    sender.traits(user("bob"), { plan: "pro" }),
  ]);
  await globex.settle([globex.traits(user("theirs"), { plan: "pro" }), globex.track(user("theirs"), "Theirs")]);

  const before = await everything();
  expect(before.users).toHaveLength(3);
  expect(before.events.length).toBeGreaterThan(4);
  expect(before.memberships).toHaveLength(1);
  // What the rebuild must not rely on.
  await server.clickhouse.command(
    `insert into events select * replace ('stray' as event) from events where org = '${server.first.organization.id}'`,
  );
  await rebuild();
  expect(await everything()).toEqual(before);
  await rebuild(true);
  expect(await everything()).toEqual(before);
});

test("positions tell the truth through a rebuild, and records that arrive meanwhile take effect once", async () => {
  const { position } = await sender.settle([sender.traits(user("cay"), { visits: 1 })]);
  expect((await operator("POST")).statusCode).toBe(202);
  const inc = (round: number) => sender.traits(user("cay"), { visits: { operation: "inc", value: 1 }, round });
  const sent = await Promise.all(
    [1, 2, 3, 4].map((n) => sender.send([inc(n), sender.track(user("cay"), "Meanwhile", { properties: { n } })])),
  );
  for (const answer of [{ position }, ...sent]) {
    await sender.waitFor(answer.position);
    const [document] = await server.clickhouse.rows<{ doc: string }>(
      "select doc from users final where doc like '%cay@example.com%'",
    );
    expect(JSON.parse(document?.doc ?? "{}")).toMatchObject({ external_id: "cay" });
  }
  expect(await sender.user(user("cay").user)).toMatchObject({ traits_visits: 5 });
  expect(await sender.events({ event: "Meanwhile" })).toHaveLength(4);
});

test("who was erased stays erased", async () => {
  await sender.settle([
    sender.traits({ user: { anonymous_id: "mallory-before" } }, { secret: "mallory" }),
    sender.track({ user: { anonymous_id: "mallory-before" } }, "Whispered", { properties: { secret: "mallory" } }),
  ]);
  await sender.settle([sender.traits(user("mallory"), { plan: "pro" }), sender.track(user("mallory"), "Whispered")]);
  await sender.settle([sender.traits({ user: { ...user("mallory").user, anonymous_id: "mallory-before" } }, {})]);
  await sender.settle([sender.entry("incinerate", user("mallory"), {})]);
  const before = await everything();
  expect(JSON.stringify(before)).not.toContain("mallory");
  await rebuild();
  expect(await everything()).toEqual(before);
  const raw = await server.clickhouse.rows<{ count: number }>(
    "select count() as count from events where event = 'Whispered'",
  );
  expect(raw).toEqual([{ count: 0 }]);
});

test("a rebuild that was interrupted goes on where it stopped", async () => {
  const before = await everything();
  const phases: [string, string][] = [
    ["requested", "account"],
    ["documents", "account"],
    ["documents", "user"],
    ["events", "user"],
  ];
  for (const [phase, kind] of phases) {
    // What a process that died in this phase leaves: the cursor reset, the tables empty or half full.
    await server.database.query(
      `update rebuilds r
       set phase = $1, kind = $2, after_id = '', finished_at = null,
           until_sequence = (select sequence from project_cursors c where c.organization_id = r.organization_id)
       where organization_id = $3`,
      [phase, kind, server.first.organization.id],
    );
    await server.database.query(
      "update project_cursors set sequence = 0, positions = '{}' where organization_id = $1",
      [server.first.organization.id],
    );
    // Any new record wakes the stage, and waits behind the rebuild.
    await sender.settle([sender.traits(user("ann"), {})]);
    expect((await operator("GET")).json()).toMatchObject([{ phase: "done" }]);
    const { events } = await everything();
    expect(events).toEqual(before.events);
  }
});

test("only the operator may ask for it", async () => {
  expect((await sender.call("POST", "/rebuild", { payload: {} })).statusCode).toBe(403);
  expect((await sender.call("GET", "/rebuild")).statusCode).toBe(403);
});
