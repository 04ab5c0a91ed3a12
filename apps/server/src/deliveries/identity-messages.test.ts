import type { AccountUpdateMessage, UserUpdateMessage } from "@muster/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { findAll } from "../testing/find-all.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

let muster: TestServer;
let sender: Sender;
let app: ConnectorApp;

beforeAll(async () => {
  muster = await openTestServer({ DELIVERY_RETRY_MS: "20" });
  await muster.listen();
  sender = new Sender(muster);
  app = await ConnectorApp.open(smartManifest());
  await app.install(muster);
});
afterAll(async () => {
  await app.close();
  await muster.close();
});
beforeEach(() => {
  app.calls.length = 0;
});

/** The messages about users once there are so many. */
async function told(count: number): Promise<UserUpdateMessage[]> {
  await app.until(({ userMessages }) => userMessages.length >= count);
  expect(app.userMessages).toHaveLength(count);
  return app.userMessages;
}

async function toldOfAccounts(count: number): Promise<AccountUpdateMessage[]> {
  const messages = () =>
    app.notifications
      .filter(({ channel }) => channel === "account:update")
      .flatMap((notification) => notification.messages as AccountUpdateMessage[]);
  await app.until(() => messages().length >= count);
  expect(messages()).toHaveLength(count);
  return messages();
}

describe("the changes of a user", () => {
  test("that is new have its identifiers, from null", async () => {
    await sender.settle([
      sender.traits({ user: { external_id: "new-1", email: "new-1@example.com", anonymous_id: "browser-1" } }, {}),
    ]);
    const [message] = await told(1);
    expect(message?.changes).toMatchObject({ is_new: true });
    expect(message?.changes.user).toEqual({
      external_id: [null, "new-1"],
      email: [null, "new-1@example.com"],
      anonymous_ids: [null, ["browser-1"]],
    });
  });

  test("have identifiers that a token adds, also when nothing else has changed", async () => {
    const user = { email: "later@example.com" };
    await sender.settle([sender.traits({ user }, { plan: "pro" })]);
    await sender.settle([sender.traits({ user: { ...user, external_id: "later" } }, {})]);
    await sender.settle([sender.traits({ user: { external_id: "later", anonymous_id: "b-1", domain: "l.test" } }, {})]);
    const [, second, third] = await told(3);
    expect(second?.changes).toMatchObject({ is_new: false, user: { external_id: [null, "later"] } });
    expect(Object.keys(second?.changes.user ?? {})).toEqual(["external_id"]);
    expect(third?.changes.user).toEqual({ anonymous_ids: [[], ["b-1"]], domain: [null, "l.test"] });
  });

  test("have identifiers that alias adds and unalias removes", async () => {
    const user = { external_id: "aliased" };
    await sender.settle([sender.traits({ user }, { plan: "pro" })]);
    await sender.settle([sender.entry("alias", { user }, { anonymous_id: "cookie-1" })]);
    await sender.settle([sender.entry("alias", { user }, { anonymous_id: "cookie-2", email: "Aliased@Example.com " })]);
    await sender.settle([sender.entry("unalias", { user }, { anonymous_id: "cookie-1" })]);
    await sender.settle([sender.entry("unalias", { user }, { email: "aliased@example.com" })]);
    await sender.settle([sender.entry("unalias", { user: { external_id: "aliased" } }, { external_id: "aliased" })]);
    const messages = await told(6);
    expect(messages.slice(1).map(({ changes }) => changes.user)).toEqual([
      { anonymous_ids: [[], ["cookie-1"]] },
      { anonymous_ids: [["cookie-1"], ["cookie-1", "cookie-2"]], email: [null, "Aliased@Example.com"] },
      { anonymous_ids: [["cookie-1", "cookie-2"], ["cookie-2"]] },
      { email: ["Aliased@Example.com", null] },
      { external_id: ["aliased", null] },
    ]);
    expect(messages.at(-1)?.user).toMatchObject({ external_id: null, email: null, anonymous_ids: ["cookie-2"] });
  });

  test("do not have an identifier that was added and removed in the same batch", async () => {
    const user = { external_id: "undecided" };
    await sender.settle([sender.traits({ user }, {})]);
    await sender.settle([
      sender.entry("alias", { user }, { anonymous_id: "short" }),
      sender.entry("unalias", { user }, { anonymous_id: "short" }),
    ]);
    await sender.settle([sender.traits({ user }, { plan: "pro" })]);
    const messages = await told(2);
    expect(messages[1]?.changes.user).toEqual({ traits_plan: [null, "pro"] });
  });

  test("do not have an external id that an attribute repeats or unsets, because the report shows the same one", async () => {
    const user = { external_id: "repeated" };
    await sender.settle([sender.traits({ user }, {})]);
    await sender.settle([sender.traits({ user }, { external_id: "repeated" })]);
    await sender.settle([sender.traits({ user }, { external_id: null, plan: "pro" })]);
    const messages = await told(2);
    expect(messages[1]?.changes.user).toEqual({ traits_plan: [null, "pro"] });
    expect(messages[1]?.user.external_id).toBe("repeated");
  });

  test("that survived a merge have what it took over: identifiers, attributes and the account", async () => {
    const known = { external_id: "merger", email: "merger@example.com" };
    const visitor = { anonymous_id: "merged-visitor" };
    await sender.settle([sender.traits({ user: known }, { plan: "pro" })]);
    await sender.settle([sender.traits({ user: visitor, account: { external_id: "brought" } }, { seen: true })]);
    await sender.settle([sender.traits({ user: { external_id: "merger", ...visitor } }, {})]);
    const messages = await told(3);
    const [survivor, loser, message] = messages;
    const accountId = loser?.account.id;
    expect(message?.user.id).toBe(survivor?.user.id);
    expect(message?.changes.user).toEqual({
      anonymous_ids: [[], ["merged-visitor"]],
      traits_seen: [null, true],
      account_id: [null, accountId],
    });
    expect(message?.changes.account).toMatchObject({ id: [null, accountId], external_id: [null, "brought"] });
  });

  test("are not in the event attributes_changed, which is about attributes alone", async () => {
    const user = { email: "quiet-id@example.com" };
    await sender.settle([sender.traits({ user }, { plan: "pro" })]);
    await sender.settle([sender.traits({ user: { ...user, external_id: "quiet-id", anonymous_id: "q-1" } }, {})]);
    const { id } = await sender.user(user);
    const query = { bool: { must: [{ term: { event: "attributes_changed" } }, { term: { user_id: id } }] } };
    expect(await findAll(muster, muster.first.organization.id, "event", query)).toEqual([]);
  });
});

describe("the changes of an account", () => {
  test("have its identifiers, and those that alias and unalias change", async () => {
    const account = { external_id: "acc-ids", domain: "acc-ids.test" };
    await sender.settle([sender.traits({ account }, {})]);
    await sender.settle([sender.entry("alias", { account }, { anonymous_id: "acc-anonymous" })]);
    await sender.settle([sender.entry("unalias", { account }, { domain: "acc-ids.test" })]);
    const messages = await toldOfAccounts(3);
    expect(messages.map(({ changes }) => changes.account)).toEqual([
      { external_id: [null, "acc-ids"], domain: [null, "acc-ids.test"] },
      { anonymous_ids: [[], ["acc-anonymous"]] },
      { domain: ["acc-ids.test", null] },
    ]);
    expect(messages.map(({ changes }) => changes.is_new)).toEqual([true, false, false]);
  });

  test("are in the message of a user that is linked to a new account, with its id", async () => {
    await sender.settle([
      sender.traits({ user: { external_id: "first-link" }, account: { domain: "first-link.test" } }, {}),
    ]);
    const [message] = await told(1);
    const { id } = message?.account ?? {};
    expect(message?.changes.user).toMatchObject({ account_id: [null, id] });
    expect(message?.changes.account).toEqual({
      id: [null, id],
      domain: [null, "first-link.test"],
      created_at: [null, message?.account.created_at],
    });
  });

  test("are the difference between two accounts for a user that moves from one to the other", async () => {
    const user = { external_id: "mover" };
    const old = { external_id: "old-account" };
    const next = { external_id: "next-account", domain: "next.test" };
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await sender.settle([
      sender.traits({ account: old }, { industry: "ships", size: 1, same: "both", created_at: "2020-01-01" }, at(9)),
      sender.traits({ account: next }, { industry: "planes", same: "both", created_at: "2020-01-01" }, at(9)),
      sender.traits({ user, account: old }, {}, at(9)),
    ]);
    const [linked] = await told(1);
    await sender.settle([
      // The account that the user leaves changes in the same batch: its value before counts.
      sender.traits({ account: old }, { industry: "rockets" }),
      sender.traits({ user, account: next }, {}),
    ]);
    const [, moved] = await told(2);
    const ids = [linked?.account.id, moved?.account.id];
    expect(moved?.changes.user).toEqual({ account_id: ids });
    expect(moved?.changes.account).toEqual({
      id: ids,
      external_id: ["old-account", "next-account"],
      domain: [null, "next.test"],
      industry: ["ships", "planes"],
      size: [1, null],
    });
  });

  test("are the id alone for a user whose account was erased", async () => {
    const user = { external_id: "left-alone" };
    const account = { external_id: "erased-account" };
    await sender.settle([sender.traits({ user, account }, {})]);
    // A message that still waits when the account is erased loses the account.
    const [before] = await told(1);
    await sender.settle([sender.entry("incinerate", { account }, {})]);
    const [, after] = await told(2);
    expect(after?.account).toEqual({});
    expect(after?.changes).toMatchObject({ user: { account_id: [before?.account.id, null] } });
    expect(after?.changes.account).toEqual({ id: [before?.account.id, null] });
  });

  test("have the new id for a user whose account was merged into another", async () => {
    const user = { external_id: "follower" };
    await sender.settle([
      sender.traits({ account: { external_id: "staying" } }, { name: "Staying" }),
      sender.traits({ user, account: { anonymous_id: "going" } }, {}),
    ]);
    await sender.settle([sender.traits({ account: { external_id: "staying", anonymous_id: "going" } }, {})]);
    const [before, after] = await told(2);
    const ids = [before?.account.id, after?.account.id];
    expect(after?.account).toMatchObject({ external_id: "staying", anonymous_ids: ["going"] });
    expect(after?.changes.user).toEqual({ account_id: ids });
    expect(after?.changes.account).toMatchObject({ id: ids, anonymous_ids: [[], ["going"]] });
  });
});

describe("a merge that is undone", () => {
  test("is told of both, and the one that is split off is new", async () => {
    const ann = { email: "ann-split@example.com" };
    const bob = { anonymous_id: "split-browser" };
    await sender.settle([
      sender.traits({ user: ann }, { plan: "pro" }),
      sender.traits({ user: bob }, { plan: "free", size: "L" }, new Date(Date.now() - 60_000)),
    ]);
    const [{ id: annId }, { id: bobId }] = [await sender.user(ann), await sender.user(bob)];
    await sender.settle([sender.entry("alias", { user: ann }, bob)]);
    await told(3);
    const undone = await sender.call("POST", `/${annId}/unmerge`, { payload: { merged_id: bobId } });
    expect(undone.statusCode).toBe(200);
    const messages = (await told(5)).slice(3);
    const of = (id: string) => messages.find(({ user }) => user.id === id);
    expect(of(annId)?.changes).toMatchObject({
      is_new: false,
      user: { traits_size: ["L", null], anonymous_ids: [["split-browser"], []] },
    });
    expect(of(annId)?.changes.user).not.toHaveProperty("traits_plan");
    expect(of(bobId)?.changes).toMatchObject({
      is_new: true,
      user: { traits_plan: [null, "free"], traits_size: [null, "L"], anonymous_ids: [null, ["split-browser"]] },
    });
    for (const message of messages) {
      expect(message.events.at(-1)).toMatchObject({
        event: "User unmerged",
        event_type: "user_unmerged",
        properties: {
          user_id: annId,
          unmerged_id: bobId,
          identifiers: { email: ["ann-split@example.com"] },
          unmerged_identifiers: { anonymous_id: ["split-browser"] },
        },
      });
    }
  });

  test("of two accounts is told of both, and of the users when they have returned", async () => {
    const [acme, globex] = [{ domain: "acme-split.example" }, { anonymous_id: "globex-split" }];
    const who = { user: { external_id: "of-globex-split" }, account: globex };
    await sender.settle([sender.traits({ account: acme }, { name: "Acme" }), sender.traits(who, {})]);
    const user = await sender.user(who.user);
    const globexId = String(user.account_id);
    await sender.settle([sender.entry("alias", { account: acme }, globex)]);
    const acmeId = String((await sender.user(who.user)).account_id);
    await toldOfAccounts(3);
    const undone = await sender.call("POST", `/${acmeId}/unmerge`, { payload: { merged_id: globexId } });
    expect(undone.statusCode).toBe(200);
    const messages = (await toldOfAccounts(5)).slice(3);
    expect(messages.find(({ account }) => account.id === globexId)?.changes).toMatchObject({ is_new: true });
    expect(messages.find(({ account }) => account.id === acmeId)?.changes).toMatchObject({ is_new: false });
    const accounts = (await told(3)).map(({ account }) => account.id);
    expect(accounts).toEqual([globexId, acmeId, globexId]);
  });
});
