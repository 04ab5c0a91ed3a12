import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let count = 0;
let created = 0;

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});

afterAll(() => server.close());

/** Each test has its own users, accounts and attributes. */
let own: string;
beforeEach(() => {
  own = `t${count++}`;
});

const person = (name: string) => ({ user: { external_id: `${own}-${name}` } });
const company = (name: string) => ({ account: { external_id: `${own}-${name}` } });

/** Creates a segment and waits until it was evaluated for everybody. */
async function segment(query: object, path = "/users_segments"): Promise<string> {
  const answer = await sender.call("POST", path, {
    payload: { name: `Segment ${created++} of ${own}`, query, predicate: {} },
  });
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  const { id } = answer.json<{ id: string }>();
  await evaluated(id);
  return id;
}

async function evaluated(id: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await server.database.query<{ is_done: boolean }>(
        "select evaluated_revision = revision as is_done from segments where id = $1",
        [id],
      );
      expect(rows).toEqual([{ is_done: true }]);
    },
    { timeout: 40_000, interval: 20 },
  );
}

async function members(id: string, path = "/search/user_reports"): Promise<string[]> {
  const payload = { query: { term: { segment_ids: id } }, sort: { external_id: "asc" } };
  const answer = await sender.call("POST", path, { payload });
  const { data } = answer.json<{ data: { external_id: string }[] }>();
  return data.map(({ external_id }) => external_id.replace(`${own}-`, ""));
}

/** `Entered segment` and `Left segment` of one segment, oldest first. */
async function moves(id: string): Promise<string[]> {
  const payload = {
    query: { term: { "properties.segment_id": id } },
    sort: { created_at: "asc" },
    per_page: 100,
  };
  const answer = await sender.call("POST", "/search/events", { payload });
  return answer.json<{ data: { event: string }[] }>().data.map(({ event }) => event);
}

describe("membership changes", () => {
  test("with the record: a reader that waits for the record sees the new membership", async () => {
    const id = await segment({ term: { [`${own}_plan`]: "pro" } });
    await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "pro" })]);
    expect(await members(id)).toEqual(["ann"]);
    await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "free" })]);
    expect(await members(id)).toEqual([]);
    expect(await moves(id)).toEqual(["Entered segment", "Left segment"]);
  });

  test("with an event, counted exactly", async () => {
    const id = await segment({ has_child: { query: { term: { event: `${own} order` } }, min_children: 2 } });
    await sender.settle([sender.track(person("ann"), `${own} order`)]);
    expect(await members(id)).toEqual([]);
    await sender.settle([sender.track(person("ann"), `${own} order`)]);
    expect(await members(id)).toEqual(["ann"]);
  });

  test("keep the time of entering while nothing changes", async () => {
    const id = await segment({ exists: { field: `${own}_plan` } });
    await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "pro" })]);
    const user = await sender.user(person("ann").user);
    const since = async () => (await sender.call("GET", `/${user.id}/segments`)).json()[0].entered_at;
    const first = await since();
    await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "team" })]);
    expect(await since()).toBe(first);
    expect(await moves(id)).toEqual(["Entered segment"]);
  });

  test("with an edit of the query, for everybody, and not for a new name", async () => {
    await sender.settle([
      sender.traits(person("ann"), { [`${own}_mrr`]: 5 }),
      sender.traits(person("bob"), { [`${own}_mrr`]: 15 }),
    ]);
    const id = await segment({ range: { [`${own}_mrr`]: { gte: 10 } } });
    expect(await members(id)).toEqual(["bob"]);
    await sender.call("PUT", `/${id}`, { payload: { query: { range: { [`${own}_mrr`]: { lt: 10 } } } } });
    await evaluated(id);
    expect(await members(id)).toEqual(["ann"]);
    await sender.call("PUT", `/${id}`, { payload: { name: "Renamed" } });
    await evaluated(id);
    expect((await moves(id)).sort()).toEqual(["Entered segment", "Entered segment", "Left segment"]);
  });

  test("with time alone: a member leaves a time window within a minute, without any record", {
    timeout: 60_000,
  }, async () => {
    const id = await segment({
      has_child: {
        query: { bool: { must: [{ term: { event: `${own} seen` } }, { range: { created_at: { gte: "now-3s" } } }] } },
      },
    });
    await sender.settle([sender.track(person("ann"), `${own} seen`)]);
    expect(await members(id)).toEqual(["ann"]);
    await vi.waitFor(async () => expect(await members(id)).toEqual([]), { timeout: 55_000, interval: 500 });
    expect(await moves(id)).toEqual(["Entered segment", "Left segment"]);
  });
});

describe("accounts", () => {
  test("have segments of their own", async () => {
    const id = await segment({ range: { [`${own}_size`]: { gte: 50 } } }, "/accounts_segments");
    await sender.settle([sender.traits({ ...company("acme"), subject: "account" }, { [`${own}_size`]: 60 })]);
    expect(await members(id, "/search/account_reports")).toEqual(["acme"]);
    const payload = { query: { term: { external_id: `${own}-acme` } } };
    const { data } = (await sender.call("POST", "/search/account_reports", { payload })).json();
    const segments = (await sender.call("GET", `/${data[0].id}/segments`)).json();
    expect(segments.map((one: { id: string }) => one.id)).toEqual([id]);
    expect(await moves(id)).toEqual(["Entered segment"]);
  });

  test("enter segments because of events of their users", async () => {
    const id = await segment({ has_child: { query: { term: { event: `${own} order` } } } }, "/accounts_segments");
    await sender.settle([sender.traits({ ...person("ann"), ...company("acme") }, {})]);
    await sender.settle([sender.track(person("ann"), `${own} order`)]);
    expect(await members(id, "/search/account_reports")).toEqual(["acme"]);
  });

  test("move their users when a segment of users asks about them", async () => {
    const id = await segment({ term: { [`account.${own}_tier`]: "gold" } });
    await sender.settle([
      sender.traits({ ...person("ann"), ...company("acme") }, {}),
      sender.traits({ ...person("bob"), ...company("acme") }, {}),
      sender.traits(person("cat"), { [`${own}_tier`]: "gold" }),
    ]);
    expect(await members(id)).toEqual([]);
    await sender.settle([sender.traits({ ...company("acme"), subject: "account" }, { [`${own}_tier`]: "gold" })]);
    expect(await members(id)).toEqual(["ann", "bob"]);
  });

  test("move their users when a segment of users asks about segments of accounts", async () => {
    const large = await segment({ range: { [`${own}_size`]: { gte: 50 } } }, "/accounts_segments");
    const id = await segment({ term: { "account.segment_ids": large } });
    await sender.settle([
      sender.traits({ ...person("ann"), ...company("acme") }, {}),
      sender.traits({ ...company("acme"), subject: "account" }, { [`${own}_size`]: 60 }),
    ]);
    expect(await members(id)).toEqual(["ann"]);
  });
});

describe("segments that ask about segments", () => {
  test("follow a change of these segments in the same step", async () => {
    const paying = await segment({ range: { [`${own}_mrr`]: { gt: 0 } } });
    const rest = await segment({
      bool: { must: { exists: { field: `${own}_mrr` } }, must_not: { term: { segment_ids: paying } } },
    });
    await sender.settle([sender.traits(person("ann"), { [`${own}_mrr`]: 0 })]);
    expect([await members(paying), await members(rest)]).toEqual([[], ["ann"]]);
    await sender.settle([sender.traits(person("ann"), { [`${own}_mrr`]: 5 })]);
    expect([await members(paying), await members(rest)]).toEqual([["ann"], []]);
  });

  test("follow an edit and the deletion of these segments", async () => {
    await sender.settle([sender.traits(person("ann"), { [`${own}_mrr`]: 5 })]);
    const base = await segment({ match_none: {} });
    const top = await segment({ term: { segment_ids: base } });
    await sender.call("PUT", `/${base}`, { payload: { query: { exists: { field: `${own}_mrr` } } } });
    await vi.waitFor(async () => expect(await members(top)).toEqual(["ann"]), { timeout: 10_000, interval: 20 });
    await sender.call("DELETE", `/${base}`);
    await vi.waitFor(async () => expect(await members(top)).toEqual([]), { timeout: 10_000, interval: 20 });
  });
});

describe("a user who does not exist any more", () => {
  test("because of a merge has no membership and no event about leaving", async () => {
    const id = await segment({ exists: { field: `${own}_plan` } });
    const anonymous = { user: { anonymous_id: `${own}-browser` } };
    await sender.settle([
      sender.traits(anonymous, { [`${own}_plan`]: "pro" }),
      sender.traits(person("ann"), { [`${own}_plan`]: "free" }),
    ]);
    const size = async () => (await sender.object(id)).stats;
    expect(await size()).toEqual({ users: 2 });
    await sender.settle([sender.entry("alias", person("ann"), { anonymous_id: `${own}-browser` })]);
    expect(await size()).toEqual({ users: 1 });
    expect(await members(id)).toEqual(["ann"]);
    expect(await moves(id)).not.toContain("Left segment");
  });

  test("because of erasure has no membership and no event", async () => {
    const id = await segment({ exists: { field: `${own}_plan` } });
    await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "pro" })]);
    await sender.settle([sender.entry("incinerate", person("ann"), {})]);
    expect((await sender.object(id)).stats).toEqual({ users: 0 });
    expect(await moves(id)).toEqual([]);
  });
});

test("a segment whose attribute has changed its type does not disturb other segments", async () => {
  const outgrown = await segment({ range: { [`${own}_late`]: { gt: 5 } } });
  const plain = await segment({ exists: { field: `${own}_late` } });
  await sender.settle([sender.traits(person("ann"), { [`${own}_late`]: true })]);
  expect([await members(outgrown), await members(plain)]).toEqual([[], ["ann"]]);
});

test("a segment of more users than one step moves is filled in several steps, with every user once", async () => {
  const { questions, first } = server;
  await sender.call("PUT", "/settings/user_traits/many?type=numeric");
  // Written directly to the engine: sending 25,000 records would take longer and test nothing more.
  const documents = Array.from({ length: 25_000 }, (_, number) => ({
    report: {
      id: `0190000000001000${number.toString(16).padStart(8, "0")}`,
      created_at: new Date().toISOString(),
      traits_many: 1,
    },
    accountId: undefined,
    version: 1,
  }));
  const { sequence } = await questions.progress(first.organization.id);
  await questions.writeDocuments(first.organization.id, documents, { kind: "user", afterId: "" }, () => "numeric");
  await questions.endDocuments(first.organization.id, sequence);
  const id = await segment({ term: { many: 1 } });
  expect((await sender.object(id)).stats).toEqual({ users: 25_000 });
  const payload = { query: { term: { "properties.segment_id": id } }, per_page: 0 };
  expect((await sender.call("POST", "/search/events", { payload })).json().pagination.total).toBe(25_000);
});
