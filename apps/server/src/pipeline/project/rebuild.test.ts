import { afterAll, beforeAll, expect, test } from "vitest";
import { openProjectCursor } from "../../storage/postgres/changes/changes.js";
import { renewGeneration } from "../../storage/postgres/changes/rebuilds.js";
import { findAll } from "../../testing/find-all.js";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let globex: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  globex = await openOrganization(server, "globex");
});
afterAll(() => server.close());

/** All answers of the question engine. */
async function everything() {
  const found = [];
  for (const organizationId of [server.first.organization.id, await globex.organizationId()]) {
    const subjects = async (target: "user" | "account") => {
      const rows = await findAll(server, organizationId, target);
      const ids = rows.map(({ id }) => id);
      return {
        reports: rows.map(({ id, report, account }) => ({
          ...report,
          id,
          indexed_at: "",
          account: account?.report.id,
        })),
        memberships: [...(await server.questions.membershipsOf(organizationId, ids))],
      };
    };
    const events = await findAll(server, organizationId, "event");
    found.push({ users: await subjects("user"), accounts: await subjects("account"), events });
  }
  return found;
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

test("a rebuild without any data is done at once", async () => {
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
  const [own, theirs] = before;
  expect([own?.users.reports.length, theirs?.users.reports.length]).toEqual([2, 1]);
  expect(own?.events.length).toBeGreaterThan(4);
  expect(own?.users.memberships.filter(([, segments]) => segments.length > 0)).toHaveLength(1);
  // The rebuild must not need these.
  await server.questions.erase(server.first.organization.id, [own?.users.reports[0]?.id ?? ""]);
  expect(await everything()).not.toEqual(before);
  await rebuild();
  expect(await everything()).toEqual(before);
  await rebuild(true);
  expect(await everything()).toEqual(before);
});

test("a rebuild keeps when users and accounts were indexed, and moves nobody who is in a segment by that time", async () => {
  const indexed = async () => {
    const rows = await findAll(server, server.first.organization.id, "user");
    return new Map(rows.map(({ id, report }) => [id, Date.parse(String(report.indexed_at))]));
  };
  await sender.settle([sender.traits({ ...user("dot"), account: { external_id: "dots" } }, { plan: "old" })]);
  const before = await indexed();
  const startedAt = Date.now();
  const query = { range: { indexed_at: { gte: new Date(startedAt).toISOString() } } };
  await rebuild();
  // The time of the change in the log counts then, which is at most as long before as it took to write the change.
  for (const [id, time] of await indexed()) {
    expect(time).toBeLessThan(startedAt);
    expect(time).toBeLessThanOrEqual(before.get(id) ?? 0);
    expect(time).toBeGreaterThan((before.get(id) ?? 0) - 30_000);
  }
  for (const path of ["/search/user_reports", "/search/account_reports"]) {
    expect((await sender.call("POST", path, { payload: { query } })).json().pagination.total).toBe(0);
  }
});

test("during a rebuild a position is searchable only when it is, and records that arrive are applied once", async () => {
  const { position } = await sender.settle([sender.traits(user("cay"), { visits: 1 })]);
  expect((await operator("POST")).statusCode).toBe(202);
  const inc = (round: number) => sender.traits(user("cay"), { visits: { operation: "inc", value: 1 }, round });
  const sent = await Promise.all(
    [1, 2, 3, 4].map((n) => sender.send([inc(n), sender.track(user("cay"), "Meanwhile", { properties: { n } })])),
  );
  for (const answer of [{ position }, ...sent]) {
    await sender.waitFor(answer.position);
    const found = await findAll(server, server.first.organization.id, "user", { term: { external_id: "cay" } });
    expect(found).toHaveLength(1);
  }
  expect(await sender.user(user("cay").user)).toMatchObject({ traits_visits: 5 });
  expect(await sender.events({ event: "Meanwhile" })).toHaveLength(4);
});

test("users and accounts that are new during a rebuild are there once", async () => {
  expect((await operator("POST")).statusCode).toBe(202);
  const names = Array.from({ length: 24 }, (_, index) => `new-${index}`);
  const sent = await Promise.all(
    names.map((name) => sender.send([sender.traits({ ...user(name), account: { external_id: name } }, { a: 1 })])),
  );
  for (const { position } of sent) await sender.waitFor(position);
  // The second change of each is written when the engine already has the first.
  await sender.settle(names.map((name) => sender.traits(user(name), { a: 2 })));
  for (const target of ["user", "account"] as const) {
    const query = { terms: { external_id: names } };
    const found = await findAll(server, server.first.organization.id, target, query);
    expect(found.map(({ report }) => report.external_id).sort()).toEqual([...names].sort());
  }
});

test("the sizes of segments and the segments of a user say that they are incomplete after the engine was lost", async () => {
  const answer = await sender.call("POST", "/users_segments", {
    payload: { name: "Everybody", query: { match_all: {} }, predicate: {} },
  });
  const { id } = answer.json();
  await sender.settle([sender.traits(user("counted"), { a: 1 })]);
  const { id: userId } = await sender.user({ external_id: "counted" });
  const paths = ["/users_segments", "/segments", `/${id}`, `/${userId}/segments`, `/${userId}/user_report`];
  const marks = () =>
    Promise.all(paths.map(async (path) => (await sender.call("GET", path)).headers["svc-incomplete"]));
  expect(await marks()).toEqual(paths.map(() => undefined));
  await renewGeneration(server.database, server.first.organization.id);
  expect(await marks()).toEqual(paths.map(() => "true"));
  const payload = { query: { match_all: {} } };
  const preview = await sender.call("POST", "/segments/preview", { payload });
  expect(preview.headers["svc-incomplete"]).toBe("true");
  await rebuild();
  expect(await marks()).toEqual(paths.map(() => undefined));
});

test("a search says that it is incomplete while the question engine is being filled, and only then", async () => {
  const search = () => sender.call("POST", "/search/user_reports", { payload: {} });
  expect((await search()).headers["svc-incomplete"]).toBeUndefined();
  // Nothing wakes the stage, so nothing fills this generation.
  await renewGeneration(server.database, server.first.organization.id);
  expect((await search()).headers["svc-incomplete"]).toBe("true");
  await sender.settle([sender.traits(user("ann"), {})]);
  expect((await search()).headers["svc-incomplete"]).toBeUndefined();
});

test("erased subjects stay erased", async () => {
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
  const query = { term: { event: "Whispered" } };
  expect(await findAll(server, server.first.organization.id, "event", query)).toEqual([]);
});

test("a rebuild that was interrupted goes on where it stopped", async () => {
  const before = await everything();
  const { database, questions, first } = server;
  const { id } = first.organization;
  const died: [string, (generation: string, sequence: number) => Promise<void>][] = [
    ["before it began", async () => {}],
    ["with no documents", (generation) => questions.begin(id, generation)],
    [
      "with accounts only",
      async (generation) => {
        await questions.begin(id, generation);
        await questions.writeDocuments(id, [], { kind: "user", afterId: "" }, () => undefined);
      },
    ],
    [
      "with documents only",
      async (generation, sequence) => {
        await questions.begin(id, generation);
        await questions.endDocuments(id, sequence);
      },
    ],
  ];
  for (const [when, leave] of died) {
    // The state that a process leaves when it dies at this point.
    await renewGeneration(database, id);
    const { generation, sequence } = await openProjectCursor(database, id);
    await leave(generation, sequence);
    // A new record wakes the stage, and is projected after the rebuild.
    await sender.settle([sender.traits(user("ann"), {})]);
    expect((await operator("GET")).json(), when).toMatchObject([{ phase: "done" }]);
    expect((await everything())[0]?.events, when).toEqual(before[0]?.events);
  }
});

test("only the operator may request a rebuild", async () => {
  expect((await sender.call("POST", "/rebuild", { payload: {} })).statusCode).toBe(403);
  expect((await sender.call("GET", "/rebuild")).statusCode).toBe(403);
});
