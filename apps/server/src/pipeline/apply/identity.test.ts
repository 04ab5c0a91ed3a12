import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findAll } from "../../testing/find-all.js";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

describe("linking a user to an account", () => {
  const report = async (id: unknown) => (await sender.call("GET", `/${id}/account_report`)).json();

  test("with the user as subject links and writes the user", async () => {
    const user = { external_id: "link-1" };
    await sender.settle([sender.traits({ user, account: { domain: "one.example" } }, { plan: "pro" })]);
    const found = await sender.user(user);
    expect(found).toMatchObject({ traits_plan: "pro", account: { domain: "one.example", id: found.account_id } });
    expect(found.account).not.toHaveProperty("plan");
    expect(await report(found.account_id)).toMatchObject({ domain: "one.example" });
  });

  test("with the account as subject and both claims links and writes the account", async () => {
    const user = { external_id: "link-2" };
    const who = { user, account: { external_id: "acc-2" }, subject: "account" as const };
    await sender.settle([sender.traits(who, { plan: "team" })]);
    const found = await sender.user(user);
    expect(found).toMatchObject({ account: { external_id: "acc-2", plan: "team" } });
    expect(found).not.toHaveProperty("traits_plan");
  });

  test("with the account as subject and only the user claimed writes the account that user is linked to", async () => {
    const user = { external_id: "link-3" };
    await sender.settle([sender.traits({ user, account: { external_id: "acc-3" } }, {})]);
    await sender.settle([sender.traits({ user, subject: "account" }, { seats: 5 })]);
    expect(await sender.user(user)).toMatchObject({ account: { external_id: "acc-3", seats: 5 } });
  });

  test("is impossible for a user without an account, and the entry is rejected", async () => {
    const user = { external_id: "link-4" };
    await sender.settle([sender.traits({ user, subject: "account" }, { seats: 5 })]);
    expect((await sender.rejected()).at(-1)).toMatchObject({
      code: "not_found",
      message: expect.stringContaining("not linked"),
    });
  });

  test("again with another account moves the user, and an older record does not move it back", async () => {
    const user = { external_id: "link-5" };
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await sender.settle([sender.traits({ user, account: { external_id: "new" } }, {}, at(1))]);
    await sender.settle([sender.traits({ user, account: { external_id: "old" } }, {}, at(9))]);
    expect(await sender.user(user)).toMatchObject({ account: { external_id: "new" } });
    // Also when the account was named before: the time of its latest mention counts.
    await sender.settle([sender.traits({ user, account: { external_id: "new" } }, {}, at(0.1))]);
    await sender.settle([sender.traits({ user, account: { external_id: "old" } }, {}, at(0.5))]);
    expect(await sender.user(user)).toMatchObject({ account: { external_id: "new" } });
  });

  test("follows the account when it is merged into another, also when the link is of the same batch", async () => {
    const linked = { external_id: "link-6" };
    const fresh = { external_id: "link-7" };
    await sender.settle([
      sender.traits({ account: { external_id: "survivor" } }, { name: "Survivor" }),
      sender.traits({ user: linked, account: { anonymous_id: "stored-anonymous" } }, {}),
    ]);
    await sender.settle([
      sender.traits({ user: fresh, account: { anonymous_id: "fresh-anonymous" } }, {}),
      sender.traits({ account: { external_id: "survivor", anonymous_id: "fresh-anonymous" } }, {}),
      sender.traits({ account: { external_id: "survivor", anonymous_id: "stored-anonymous" } }, {}),
    ]);
    expect(await sender.user(linked)).toMatchObject({ account: { name: "Survivor" } });
    expect(await sender.user(fresh)).toMatchObject({ account: { name: "Survivor" } });
  });

  test("ends when the account is erased; the user stays", async () => {
    const user = { external_id: "link-8" };
    await sender.settle([sender.traits({ user, account: { external_id: "closing" } }, {})]);
    const { account_id } = await sender.user(user);
    await sender.settle([sender.entry("incinerate", { account: { external_id: "closing" } }, {})]);
    expect(await sender.user(user)).toMatchObject({ account_id: null, account: null });
    expect((await sender.call("GET", `/${account_id}`)).statusCode).toBe(404);
  });
});

describe("the claims of a token", () => {
  test("create: false creates nobody, and the entry is rejected as not found", async () => {
    const user = { email: "stranger@example.com" };
    await sender.settle([sender.traits({ user, create: false }, { plan: "pro" })]);
    expect(await sender.isKnown(user)).toBe(false);
    expect((await sender.rejected()).at(-1)).toMatchObject({
      code: "not_found",
      message: 'Nobody is known by email "stranger@example.com".',
      entry: { type: "traits", body: { plan: "pro" } },
    });
  });

  test("create: false changes an existing user", async () => {
    const user = { email: "regular@example.com" };
    await sender.settle([sender.traits({ user }, {})]);
    await sender.settle([sender.traits({ user, create: false }, { plan: "pro" })]);
    expect(await sender.user(user)).toMatchObject({ traits_plan: "pro" });
  });

  test("active: true sets the time the user was last seen to the time of the record; other traits entries do not", async () => {
    const user = { email: "active@example.com" };
    const at = new Date(Date.now() - 3_600_000);
    await sender.settle([sender.traits({ user }, { a: 1 }, at)]);
    expect(await sender.user(user)).toMatchObject({ last_seen_at: null });
    await sender.settle([sender.traits({ user, active: true }, { a: 2 }, at)]);
    expect(await sender.user(user)).toMatchObject({ last_seen_at: at.toISOString(), traits_a: 2 });
  });

  test("active entries and the others of a batch are applied in their own lanes, and one position covers both", async () => {
    const user = { email: "lanes@example.com" };
    const { position } = await sender.settle([
      sender.traits({ user, active: true }, { fast: true }),
      sender.traits({ user }, { slow: true }),
    ]);
    expect(position).toMatch(/^a\d+\.l\d+$/);
    expect(await sender.user(user)).toMatchObject({ traits_fast: true, traits_slow: true });
  });
});

describe("a merge", () => {
  const known = { external_id: "m-1", email: "merge@example.com" };

  test("gives the survivor the identifiers, the newest attribute values and the events; old ids keep resolving", async () => {
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const visitor = { user: { anonymous_id: "visitor-1" } };
    await sender.settle([
      sender.traits(visitor, { plan: "newer", seen: "anonymously" }, at(5)),
      sender.track(visitor, "Visited", { event_id: "visit-1" }, at(5)),
    ]);
    const { id: loser } = await sender.user(visitor.user);
    await sender.settle([
      sender.traits({ user: known }, { plan: "older" }, at(10)),
      sender.track({ user: known }, "Signed up"),
    ]);
    const { id: survivor } = await sender.user(known);
    expect(loser).not.toBe(survivor);

    await sender.settle([sender.traits({ user: { ...known, anonymous_id: "visitor-1" } }, {})]);
    const report = await sender.user({ anonymous_id: "visitor-1" });
    expect(report).toMatchObject({
      id: survivor,
      external_id: "m-1",
      email: "merge@example.com",
      anonymous_ids: ["visitor-1"],
      traits_plan: "newer",
      traits_seen: "anonymously",
    });
    expect(await sender.object(loser)).toMatchObject({ id: survivor });
    const events = await sender.events({ user: survivor });
    expect(events.map(({ event }) => event).sort()).toEqual(["Signed up", "Visited"]);
    expect(await sender.events({ user: loser })).toEqual([]);
    const documents = await findAll(server, server.first.organization.id, "user", {
      ids: { values: [loser, survivor] },
    });
    expect(documents.map((document) => document.id)).toEqual([survivor]);

    // The old id finds the survivor in tokens too, and an overwritten event stays with the survivor.
    await sender.settle([
      sender.traits({ user: { id: loser } }, { by: "old id" }),
      sender.track({ user: { id: loser } }, "Visited", { event_id: "visit-1", properties: { again: true } }),
    ]);
    expect(await sender.user(known)).toMatchObject({ traits_by: "old id" });
    expect(await sender.events({ event: "Visited", user: survivor })).toMatchObject([{ properties: { again: true } }]);
  });

  test("makes an event of Muster with both ids", async () => {
    const { id } = await sender.user(known);
    const query = { bool: { must: [{ term: { event: "User merged" } }, { term: { user_id: id } }] } };
    const rows = await findAll(server, server.first.organization.id, "event", query);
    expect(rows.map(({ report }) => report)).toMatchObject([
      { event_source: "platform", properties: { user_id: id, merged_id: expect.any(String) } },
    ]);
  });

  test("of a merged user keeps every id resolving, also through a new user and within one batch", async () => {
    const first = { anonymous_id: "chain-1" };
    await sender.settle([
      sender.traits({ user: first }, {}),
      sender.traits({ user: { external_id: "chain-end" } }, {}),
    ]);
    const { id } = await sender.user(first);
    const end = await sender.user({ external_id: "chain-end" });
    await sender.settle([
      // The first user is merged into a new user with the email, which is itself merged at once.
      sender.traits({ user: { email: "chain@example.com" } }, {}),
      sender.traits({ user: { email: "chain@example.com", ...first } }, {}),
      sender.traits({ user: { external_id: "chain-end", email: "chain@example.com" } }, {}),
    ]);
    expect(await sender.object(id)).toMatchObject({ id: end.id });
    expect(await sender.user(first)).toMatchObject({ id: end.id, email: "chain@example.com" });
  });

  test("beyond the daily limit is refused with the reason, and the record itself is applied once", async () => {
    const limit = 50;
    const user = { external_id: "magnet" };
    const strangers = Array.from({ length: limit + 1 }, (_, index) => ({ anonymous_id: `iron-${index}` }));
    await sender.settle([
      sender.traits({ user }, { visits: 0 }),
      ...strangers.map((stranger) => sender.traits({ user: stranger }, {})),
    ]);
    const before = (await sender.rejected()).length;
    const inc = { visits: { operation: "inc", value: 1 } };
    await sender.settle(strangers.map((stranger) => sender.traits({ user: { ...user, ...stranger } }, inc)));
    const refused = (await sender.rejected()).slice(before);
    expect(refused).toMatchObject([{ code: "identity_conflict", message: expect.stringContaining("MERGES_PER_DAY") }]);
    expect(await sender.user(user)).toMatchObject({ traits_visits: limit + 1 });
    expect((await sender.user({ anonymous_id: `iron-${limit}` })).id).not.toBe((await sender.user(user)).id);

    const retry = await sender.call("POST", "/ingestion/rejected/retry", { payload: { ids: [refused[0]?.id] } });
    await sender.waitFor(retry.json().position);
    expect(await sender.user(user)).toMatchObject({ traits_visits: limit + 1 });
  });
});

describe("alias and unalias", () => {
  test("add and remove identifiers of a user", async () => {
    const user = { external_id: "alias-1" };
    await sender.settle([
      sender.entry("alias", { user }, { anonymous_id: "cookie-1" }),
      sender.entry("alias", { user }, { anonymous_id: "cookie-2" }),
      sender.entry("unalias", { user }, { anonymous_id: "cookie-1" }),
    ]);
    expect(await sender.user({ anonymous_id: "cookie-2" })).toMatchObject({ external_id: "alias-1" });
    expect(await sender.isKnown({ anonymous_id: "cookie-1" })).toBe(false);
  });

  test("merge the owner of the identifier, or refuse when it is certainly another user", async () => {
    const user = { external_id: "alias-2" };
    await sender.settle([
      sender.traits({ user: { anonymous_id: "owner" } }, { owned: true }),
      sender.traits({ user: { external_id: "alias-3", anonymous_id: "taken" } }, {}),
    ]);
    await sender.settle([
      sender.entry("alias", { user }, { anonymous_id: "owner" }),
      sender.entry("alias", { user }, { anonymous_id: "taken" }),
    ]);
    expect(await sender.user(user)).toMatchObject({ traits_owned: true, anonymous_ids: ["owner"] });
    expect(await sender.user({ anonymous_id: "taken" })).toMatchObject({ external_id: "alias-3" });
    expect((await sender.rejected()).at(-1)).toMatchObject({
      code: "identity_conflict",
      message: 'The anonymous_id "taken" belongs to another user.',
    });
  });

  test("work for accounts", async () => {
    const account = { external_id: "alias-account" };
    await sender.settle([
      sender.traits({ account }, { name: "Acme" }),
      sender.entry("alias", { account }, { domain: "https://www.Alias.example/about" }),
    ]);
    await sender.settle([sender.traits({ user: { external_id: "u" }, account: { domain: "alias.example" } }, {})]);
    expect(await sender.user({ external_id: "u" })).toMatchObject({ account: { name: "Acme" } });
    await sender.settle([sender.entry("unalias", { account }, { domain: "alias.example" })]);
    await sender.settle([
      sender.traits({ user: { external_id: "u" }, account: { domain: "alias.example" }, create: false }, { late: 1 }),
    ]);
    expect((await sender.rejected()).at(-1)).toMatchObject({ code: "not_found" });
  });
});

test("organizations are separate: the same identifiers, event ids and batches mean other users and events there", async () => {
  const globex = await openOrganization(server, "globex");
  const user = { external_id: "shared", email: "shared@example.com" };
  for (const [one, plan] of [
    [sender, "ours"],
    [globex, "theirs"],
  ] as const) {
    const batch = [
      one.traits({ user }, { plan }),
      one.track({ user }, "Shared", { event_id: "shared", properties: { plan } }),
    ];
    expect((await one.settle(batch)).duplicate).toBe(false);
  }
  const [ours, theirs] = [await sender.user(user), await globex.user(user)];
  expect([ours.traits_plan, theirs.traits_plan]).toEqual(["ours", "theirs"]);
  expect(ours.id).not.toBe(theirs.id);
  expect((await globex.call("GET", `/${ours.id}`)).statusCode).toBe(404);
  expect((await globex.call("DELETE", `/${ours.id}`)).statusCode).toBe(404);
  const eventIds = await Promise.all([sender, globex].map((one) => one.events({ event: "Shared" })));
  expect(eventIds.map(([event]) => event?.properties)).toEqual([{ plan: "ours" }, { plan: "theirs" }]);
  await globex.settle([globex.entry("incinerate", { user }, {})]);
  expect(await sender.user(user)).toMatchObject({ id: ours.id, traits_plan: "ours" });
  expect(await globex.rejected()).toEqual([]);
});
