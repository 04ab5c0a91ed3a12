import { createBrand } from "@muster/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const position = createBrand("Svc").headers.position.toLowerCase();

let server: TestServer;
let sender: Sender;
let count = 0;
let created = 0;

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

/** Each test has its own users, accounts and events. */
let own: string;
beforeEach(() => {
  own = `t${count++}`;
});

const person = (name: string) => ({ user: { external_id: `${own}-${name}` } });
const company = (name: string) => ({ account: { external_id: `${own}-${name}` } });
const may = { created_at: "2026-05-01T00:00:00Z" };
const june = { created_at: "2026-06-01T00:00:00Z" };

/** Creates a segment, and waits until it was evaluated for everybody. */
async function segment(query: object, path = "/users_segments"): Promise<string> {
  const answer = await sender.call("POST", path, {
    payload: { name: `Segment ${created++} of ${own}`, query, predicate: {} },
  });
  const { id } = answer.json<{ id: string }>();
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
  return id;
}

/** The segment of those who have ordered. */
const ordered = (path?: string) => segment({ has_child: { query: { term: { event: `${own} order` } } } }, path);

async function members(id: string, path = "/search/user_reports"): Promise<string[]> {
  const payload = { query: { term: { segment_ids: id } }, sort: { external_id: "asc" } };
  const answer = await sender.call("POST", path, { payload });
  const { data } = answer.json<{ data: { external_id: string }[] }>();
  return data.map(({ external_id }) => external_id.replace(`${own}-`, ""));
}

const order = (who: object, body: Record<string, unknown>) =>
  sender.track(who, `${own} order`, { event_id: `${own}-1`, ...body });

describe("an event id that comes again for another user takes the event from the former user", () => {
  test.each([
    ["at the same time", may],
    ["at another time", june],
  ])("%s", async (_, time) => {
    const id = await ordered();
    await sender.settle([order(person("ann"), may)]);
    expect(await members(id)).toEqual(["ann"]);
    await sender.settle([order(person("bob"), time)]);
    expect(await members(id)).toEqual(["bob"]);
  });

  test("that has been merged since", async () => {
    const id = await ordered();
    const browser = { user: { anonymous_id: `${own}-browser` } };
    await sender.settle([order(browser, may), sender.traits(person("ann"), { a: 1 })]);
    await sender.settle([sender.entry("alias", person("ann"), browser.user)]);
    expect(await members(id)).toEqual(["ann"]);
    await sender.settle([order(person("bob"), may)]);
    expect(await members(id)).toEqual(["bob"]);
  });

  test("and a user with another such event stays a member", async () => {
    const id = await ordered();
    await sender.settle([order(person("ann"), may), sender.track(person("ann"), `${own} order`)]);
    await sender.settle([order(person("bob"), may)]);
    expect(await members(id)).toEqual(["ann", "bob"]);
  });
});

describe("an event that comes again under another name is no event of the former name", () => {
  test.each([
    ["at the same time", may],
    ["at another time", june],
  ])("%s", async (_, time) => {
    const id = await ordered();
    const ofAccounts = await ordered("/accounts_segments");
    await sender.settle([sender.traits({ ...person("ann"), ...company("acme") }, {})]);
    await sender.settle([order(person("ann"), may)]);
    expect([await members(id), await members(ofAccounts, "/search/account_reports")]).toEqual([["ann"], ["acme"]]);
    await sender.settle([sender.track(person("ann"), `${own} refund`, { event_id: `${own}-1`, ...time })]);
    expect([await members(id), await members(ofAccounts, "/search/account_reports")]).toEqual([[], []]);
  });
});

describe("an event that comes again within another account is taken from the former account", () => {
  const accounts = "/search/account_reports";

  test("when it is the event of another user", async () => {
    const id = await ordered("/accounts_segments");
    await sender.settle([
      sender.traits({ ...person("ann"), ...company("acme") }, {}),
      sender.traits({ ...person("bob"), ...company("best") }, {}),
    ]);
    await sender.settle([order(person("ann"), may)]);
    expect(await members(id, accounts)).toEqual(["acme"]);
    await sender.settle([order(person("bob"), may)]);
    expect(await members(id, accounts)).toEqual(["best"]);
  });

  test("when its user has another account now", async () => {
    const id = await ordered("/accounts_segments");
    await sender.settle([sender.traits({ ...person("ann"), ...company("acme") }, {})]);
    await sender.settle([order(person("ann"), may)]);
    await sender.settle([sender.traits({ ...person("ann"), ...company("best") }, {})]);
    expect(await members(id, accounts)).toEqual(["acme"]);
    await sender.settle([order(person("ann"), june)]);
    expect(await members(id, accounts)).toEqual(["best"]);
  });

  test("when its end user, who has another account now, sends it again", async () => {
    const id = await ordered("/accounts_segments");
    const send = async () => {
      const payload = { event: `${own} order`, event_id: "mine", ...may };
      const answer = await sender.callAs(person("ann"), "POST", "/t", { payload });
      await sender.waitFor(String(answer.headers[position]));
    };
    await sender.settle([sender.traits({ ...person("ann"), ...company("acme") }, {})]);
    await send();
    await sender.settle([sender.traits({ ...person("ann"), ...company("best") }, {})]);
    expect(await members(id, accounts)).toEqual(["acme"]);
    await send();
    expect(await members(id, accounts)).toEqual(["best"]);
  });
});

describe("users without activity stay in their segment, which Muster notes with an event", () => {
  test.each([
    ["any event", { range: { created_at: { gte: "now-7d" } } }],
    [
      "any event but one",
      { bool: { must: [{ range: { created_at: { gte: "now-7d" } } }], must_not: [{ term: { event: "Page" } }] } },
    ],
  ])("%s", async (_, query) => {
    const names = ["ann", "bob", "cat"];
    await sender.settle(names.map((name) => sender.traits(person(name), { [`${own}_is_here`]: true })));
    const quiet = { bool: { must: [{ term: { [`${own}_is_here`]: true } }], must_not: [{ has_child: { query } }] } };
    const id = await segment(quiet);
    expect(await members(id)).toEqual(names);
    // Each change of an attribute makes another event of Muster's, and evaluates the segment again.
    await sender.settle(names.map((name) => sender.traits(person(name), { [`${own}_plan`]: "pro" })));
    expect(await members(id)).toEqual(names);
    await sender.settle([sender.track(person("bob"), `${own} order`)]);
    expect(await members(id)).toEqual(["ann", "cat"]);
  });
});
