import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let platformId: string;

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  platformId = (await operator("POST", "/platforms", { name: "Shop", domains: ["shop.test"] })).json<{ id: string }>()
    .id;
});
afterAll(() => server.close());

function operator(method: "GET" | "POST" | "PUT", path: string, payload?: object) {
  return server.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: server.operatorHeaders,
    ...(payload ? { payload } : {}),
  });
}

let count = 0;

/** What a page sends of its visitor, with or without a token. Waits until it is searchable. */
async function page(bid: string, type: string, body: object, token?: string): Promise<void> {
  count += 1;
  const answer = await server.app.inject({
    method: "POST",
    url: `/api/v1/${platformId}/records`,
    headers: { origin: "https://shop.test", "content-type": "text/plain" },
    payload: JSON.stringify({
      bid,
      sid: "visit",
      ...(token ? { access_token: token } : {}),
      sentAt: new Date().toISOString(),
      batch: [{ id: String(count), type, timestamp: new Date().toISOString(), body }],
    }),
  });
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  await sender.waitFor(answer.json<{ position: string }>().position);
}

const lastRejected = async () => {
  const answer = await operator("GET", "/ingestion/rejected?per_page=1");
  return answer.json<{ code: string; message: string }[]>()[0];
};

const reportAs = async (email: string) => (await sender.callAs({ user: { email } }, "GET", "/me/user_report")).json();

describe("a page without credentials", () => {
  test("that claims the address of somebody has no part in that person's profile", async () => {
    await page("squatter", "traits", { email: "boss@corp.test", title: "fake" });
    await sender.settle([sender.traits({ user: { email: "boss@corp.test" } }, { plan: "gold" })]);
    await page("squatter", "traits", { title: "fake again", plan: "stolen" });
    const boss = await sender.user({ email: "boss@corp.test" });
    expect(boss).toMatchObject({ anonymous_ids: [], traits_plan: "gold", unproved_attributes: [] });
    expect(boss).not.toHaveProperty("traits_title");
    expect(await sender.user({ anonymous_id: "squatter" })).toMatchObject({
      email: "boss@corp.test",
      unproved_attributes: ["email", "plan", "title"],
    });
  });

  test("that uses the browser of a known user writes marked values, which the user does not read", async () => {
    const user = { email: "eve@corp.test", anonymous_id: "eve-browser" };
    await sender.settle([sender.traits({ user }, { color: "red" })]);
    await page("eve-browser", "traits", { color: "blue", secret: "what another visitor typed" });
    await page("eve-browser", "track", { event: "Looked" });
    expect(await sender.user(user)).toMatchObject({
      traits_color: "red",
      traits_secret: "what another visitor typed",
      unproved_attributes: ["secret"],
      last_known_ip: null,
      latest_session_id: null,
    });
    const report = await reportAs("eve@corp.test");
    expect(report).toMatchObject({ traits_color: "red", unproved_attributes: [] });
    expect(JSON.stringify(report)).not.toContain("another visitor");
    const [event] = await sender.events({ event: "Looked" });
    expect(event?.context).toMatchObject({ unproved: true });
    const { attributes } = (await operator("GET", `/${report.id}/attributes`)).json<{
      attributes: { name: string; proved: boolean }[];
    }>();
    const proofOf = Object.fromEntries(attributes.map(({ name, proved }) => [name, proved]));
    expect(proofOf).toMatchObject({ color: true, secret: false });
  });

  test("that shares a browser with somebody who signs in writes values that no route tells the user", async () => {
    const typed = {
      name: "Somebody Else",
      phone: "+41 44 000 00 00",
      email: "else@corp.test",
      secret: "of somebody else",
    };
    await page("shared-browser", "traits", typed);
    const user = { external_id: "next", email: "next@corp.test" };
    await page("shared-browser", "traits", { plan: "gold" }, sender.token({ user }));
    const { id, ...report } = await sender.user(user);
    expect(report).toMatchObject({
      traits_secret: typed.secret,
      phone: typed.phone,
      anonymous_ids: ["shared-browser"],
    });
    for (const path of ["/me", "/me/user_report", `/${id}`]) {
      const { statusCode, body } = await sender.callAs({ user }, "GET", path);
      expect([statusCode, body]).toEqual([200, expect.stringContaining("gold")]);
      for (const value of Object.values(typed)) expect(body).not.toContain(value);
    }
    expect((await operator("GET", `/${id}`)).json()).toMatchObject({
      phone: typed.phone,
      extra: { secret: typed.secret },
    });
    expect((await sender.call("GET", `/${id}`)).json()).toMatchObject({ phone: typed.phone });
  });

  test("makes no id of a link an id of the visitor, unless the organization chooses so", async () => {
    const user = { email: "linked@corp.test" };
    const token = sender.token({ user });
    await page("linked-browser", "traits", {}, token);
    await page("linked-browser", "alias", { anonymous_id: "from-a-link", from: "link" }, token);
    expect(await sender.user(user)).toMatchObject({ anonymous_ids: ["linked-browser"] });
    expect(await lastRejected()).toMatchObject({
      code: "identity_conflict",
      message: expect.stringContaining("An id in a link proves nothing"),
    });
  });
});

describe("what follows from records of a page without credentials", () => {
  const PATIENCE = { timeout: 20_000, interval: 50 };
  const account = { domain: "follows.test" };

  beforeAll(async () => {
    const user = { external_id: "defines" };
    await sender.settle([
      sender.traits({ user, account }, { nick: "none", city: "none" }),
      sender.track({ user, account }, "Searched", { properties: { term: "nothing" } }),
    ]);
    for (const [target, name, compute] of [
      ["user", "shown_name", { formula: "coalesce(nick, city)" }],
      ["user", "last_term", { last: { event: "Searched", property: "term" } }],
      ["user", "last_term_again", { formula: "last_term" }],
      ["account", "term_of_users", { over_users: { last: { event: "Searched", property: "term" } } }],
    ] as const) {
      const answer = await operator("POST", "/computed_attributes", { target, name, compute });
      expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
      const { id } = answer.json<{ id: string }>();
      const isFilled = async () => (await operator("GET", `/computed_attributes/${id}`)).json().status === "ok";
      await vi.waitUntil(isFilled, PATIENCE);
    }
  });

  /** What the user reads, on every route. */
  const readAs = async (user: object) => {
    const { id } = (await sender.callAs({ user }, "GET", "/me")).json<{ id: string }>();
    const answers = ["/me", "/me/user_report", `/${id}`].map((path) => sender.callAs({ user }, "GET", path));
    const [me, report, object] = await Promise.all(answers);
    return { me: me!.json(), report: report!.json(), text: [me, report, object].map((one) => one!.body).join("\n") };
  };

  test("is read by connectors, and by no user who comes to have that browser", async () => {
    await page("other-browser", "traits", { city: "Typed by another" });
    await page("other-browser", "track", { event: "Searched", properties: { term: "of another" } });
    await page("other-browser", "track", { event: "Left" });
    const user = { external_id: "taker", email: "taker@corp.test" };
    await sender.settle([sender.traits({ user, account }, { plan: "gold" })]);
    const before = await readAs(user);
    const taken = await sender.callAs({ user }, "POST", "/me/alias", { payload: { anonymous_id: "other-browser" } });
    await sender.waitFor(taken.json<{ position: string }>().position);
    await sender.settle([
      sender.track({ user }, "Left"),
      sender.track({ user }, "Bought", { ip: "198.51.100.7", session_id: "own" }, new Date(Date.now() - 60_000)),
    ]);
    await expect
      .poll(() => sender.user(user), PATIENCE)
      .toMatchObject({
        traits_shown_name: "Typed by another",
        traits_last_term: "of another",
        traits_last_term_again: "of another",
        unproved_attributes: ["city", "last_term", "last_term_again", "shown_name"],
        account: { term_of_users: "of another" },
        last_known_ip: "127.0.0.1",
        latest_session_id: "visit",
        anonymous_ids: ["other-browser"],
      });
    const { me, report, text } = await readAs(user);
    for (const hidden of ["Typed by", "of another", "127.0.0.1", "visit", "other-browser", "Searched"]) {
      expect(text).not.toContain(hidden);
    }
    expect(me).toMatchObject({ stats: { actions: { Left: 1, Bought: 1 } }, identities: before.me.identities });
    expect(report).toMatchObject({ traits_plan: "gold", last_seen_at: null, unproved_attributes: [] });
    // The token that names the browser knows its id, and its owner knows nothing more by it.
    const knowing = await readAs({ ...user, anonymous_id: "other-browser" });
    expect(knowing.report).toMatchObject({ anonymous_ids: ["other-browser"], last_known_ip: null });
    expect(knowing.me.identities).toContainEqual(
      expect.objectContaining({ uid: "other-browser", stats: { events: 0 } }),
    );
  });

  test("is read by a user whose records are all proved", async () => {
    const user = { external_id: "proved", anonymous_id: "proved-browser" };
    const sign = { who: { user }, at: new Date(Date.now() - 1_000) };
    await sender.settle([
      sender.traits(sign.who, { nick: "Pro" }),
      sender.track(sign.who, "Searched", { properties: { term: "own" }, ip: "198.51.100.8", session_id: "own" }),
    ]);
    const seen = { traits_shown_name: "Pro", traits_last_term: "own", traits_last_term_again: "own" };
    await expect
      .poll(async () => (await readAs({ external_id: "proved" })).report, PATIENCE)
      .toMatchObject({
        ...seen,
        last_known_ip: "198.51.100.8",
        latest_session_id: "own",
        last_seen_at: expect.any(String),
        anonymous_ids: ["proved-browser"],
      });
    // From now on the browser of the user says something without a token, and nobody knows who sits in front of it.
    await page("proved-browser", "track", { event: "Searched", properties: { term: "of a guest" } });
    await expect.poll(() => sender.user(user), PATIENCE).toMatchObject({ traits_last_term: "of a guest" });
    const { me, report } = await readAs({ external_id: "proved" });
    expect(report).toMatchObject({ traits_shown_name: "Pro", last_known_ip: "198.51.100.8", latest_session_id: "own" });
    expect(report).not.toHaveProperty("traits_last_term");
    expect(me.stats.actions).toEqual({ Searched: 1 });
  });
});

describe("a visitor who is probably a known user", () => {
  test("is shown with the user, and is joined by a person", async () => {
    await page("known-browser", "traits", { email: "Known@Corp.test", size: "L" });
    await sender.settle([sender.traits({ user: { email: "known@corp.test" } }, { plan: "gold" })]);
    const user = await sender.user({ email: "known@corp.test" });
    const visitor = await sender.user({ anonymous_id: "known-browser" });
    const same = async (id: string) =>
      (await operator("GET", `/${id}/identity`)).json<{ probably_same: object[] }>().probably_same;
    expect(await same(String(user.id))).toEqual([
      { id: visitor.id, name: null, email: "Known@Corp.test", anonymous_ids: ["known-browser"], proved: false },
    ]);
    expect(await same(String(visitor.id))).toMatchObject([{ id: user.id, proved: true }]);
    const joined = await operator("POST", `/${user.id}/alias`, { anonymous_id: "known-browser" });
    expect([joined.statusCode, joined.json()]).toEqual([200, { position: expect.any(String) }]);
    expect(await sender.user({ anonymous_id: "known-browser" })).toMatchObject({
      id: user.id,
      email: "known@corp.test",
      traits_size: "L",
      unproved_attributes: ["size"],
    });
    expect(await same(String(user.id))).toEqual([]);
  });

  test("is joined by a sign-in in that browser", async () => {
    await page("signing-browser", "traits", { email: "signs@corp.test", size: "M" });
    await page(
      "signing-browser",
      "track",
      { event: "Signed in" },
      sender.token({ user: { email: "signs@corp.test" } }),
    );
    expect(await sender.user({ email: "signs@corp.test" })).toMatchObject({
      anonymous_ids: ["signing-browser"],
      traits_size: "M",
      unproved_attributes: ["size"],
    });
  });

  test("is not joined with somebody who certainly is another one", async () => {
    await sender.settle([
      sender.traits({ user: { external_id: "one", anonymous_id: "of-one" } }, {}),
      sender.traits({ user: { external_id: "two" } }, {}),
    ]);
    const two = await sender.user({ external_id: "two" });
    const refused = await operator("POST", `/${two.id}/alias`, { anonymous_id: "of-one" });
    expect([refused.statusCode, refused.json()]).toMatchObject([409, { error: { code: "conflict" } }]);
  });
});

describe("the token of an end user", () => {
  test("cannot set the email of somebody else, and keeps a free one as unproved", async () => {
    await sender.settle([sender.traits({ user: { email: "owner@corp.test" } }, {})]);
    const user = { external_id: "wants-an-email" };
    const set = async (email: string) => {
      const answer = await sender.callAs({ user }, "PUT", "/me/traits", { payload: { email } });
      await sender.waitFor(answer.json<{ position: string }>().position);
    };
    await set("Owner@corp.test");
    expect(await sender.user(user)).toMatchObject({ email: null });
    expect(await lastRejected()).toMatchObject({ message: expect.stringContaining("somebody else has this email") });
    await set("free@corp.test");
    expect(await sender.user(user)).toMatchObject({ email: "free@corp.test", unproved_attributes: ["email"] });
    expect(await sender.isKnown({ email: "free@corp.test" })).toBe(false);
    // Proof of the address replaces what was typed, also when the proof is older.
    const before = new Date(Date.now() - 60_000);
    await sender.settle([sender.traits({ user: { ...user, email: "proved@corp.test" } }, {}, before)]);
    expect(await sender.user(user)).toMatchObject({ email: "proved@corp.test", unproved_attributes: [] });
  });

  test("keeps an email of the account as unproved, which no user of the account reads", async () => {
    const user = { email: "fay@corp.test" };
    const account = { external_id: "corp" };
    await sender.settle([sender.traits({ user, account, subject: "account" }, { plan: "gold" })]);
    const payload = { email: "typed@corp.test" };
    const answer = await sender.callAs({ user, account, subject: "account" }, "PUT", "/me/traits", { payload });
    await sender.waitFor(answer.json<{ position: string }>().position);
    expect(await sender.user(user)).toMatchObject({ account: { plan: "gold", email: "typed@corp.test" } });
    const report = await reportAs(user.email);
    expect(report).toMatchObject({ account: { plan: "gold" } });
    expect(JSON.stringify(report)).not.toContain(payload.email);
  });

  test("cannot write into a group that a connector made, until the group is opened", async () => {
    const user = { external_id: "customer" };
    await sender.settle([sender.traits({ user }, { "billing/plan": "free" })]);
    const write = async (body: object) => {
      const answer = await sender.callAs({ user }, "PUT", "/me/traits", { payload: body });
      await sender.waitFor(answer.json<{ position: string }>().position);
    };
    await write({ "billing/plan": "gold", "billing/new": "x", mine: "y" });
    expect(await sender.user(user)).toMatchObject({ "traits_billing/plan": "free", traits_mine: "y" });
    expect(await sender.user(user)).not.toHaveProperty("traits_billing/new");
    expect(await lastRejected()).toMatchObject({
      code: "invalid_attribute",
      message: expect.stringContaining("server-only"),
    });

    const opened = await operator("PUT", "/settings/user_trait_groups/billing", { server_only: false });
    expect(opened.json()).toEqual({ group: "billing", server_only: false });
    await write({ "billing/plan": "gold", "billing/new": "x" });
    expect(await sender.user(user)).toMatchObject({ "traits_billing/plan": "gold", "traits_billing/new": "x" });

    const closed = await operator("PUT", "/settings/user_traits/billing/new", { server_only: true });
    expect(closed.json()).toMatchObject({ name: "billing/new", server_only: true });
    await write({ "billing/plan": "silver", "billing/new": "z" });
    expect(await sender.user(user)).toMatchObject({ "traits_billing/plan": "silver", "traits_billing/new": "x" });
    const none = await operator("PUT", "/settings/user_trait_groups/none", { server_only: true });
    expect(none.statusCode).toBe(404);
  });

  test("writes into groups that pages made", async () => {
    await page("form-browser", "traits", { "form/size": "L" });
    await sender.settle([sender.traits({ user: { anonymous_id: "form-browser" } }, { "form/checked": true })]);
    await page("form-browser", "traits", { "form/size": "XL" });
    expect(await sender.user({ anonymous_id: "form-browser" })).toMatchObject({ "traits_form/size": "XL" });
  });
});

test("an organization that joins visitors by hints takes an email that a visitor typed for the visitor's own", async () => {
  const { id } = server.first.organization;
  const changed = await operator("PUT", `/${id}`, { join_by_hints: true });
  expect(changed.json()).toMatchObject({ join_by_hints: true });
  await page("hinting", "alias", { anonymous_id: "hinting-link", from: "link" });
  await page("hinting", "traits", { email: "hinted@corp.test", size: "S" });
  await sender.settle([sender.traits({ user: { email: "hinted@corp.test" } }, { plan: "gold" })]);
  expect(await sender.user({ email: "hinted@corp.test" })).toMatchObject({
    anonymous_ids: ["hinting", "hinting-link"],
    traits_plan: "gold",
    unproved_attributes: ["size"],
  });
  expect((await operator("PUT", `/${id}`, { join_by_hints: "yes" })).statusCode).toBe(400);
  await operator("PUT", `/${id}`, { join_by_hints: false });
});
