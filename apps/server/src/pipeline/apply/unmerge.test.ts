import type { UserClaims } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PATIENCE } from "../../testing/bulk.js";
import { findAll } from "../../testing/find-all.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let organizationId: string;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  organizationId = server.first.organization.id;
  // A segment asks for what is known.
  const first = { user: { external_id: "first" } };
  await sender.settle([sender.traits(first, { plan: "none" }), sender.track(first, "Bought")]);
  const bought = { has_child: { type: "event", query: { term: { event: "Bought" } } } };
  for (const payload of [
    { name: "Pros", query: { term: { traits_plan: "pro" } }, predicate: {} },
    { name: "Buyers", query: bought, predicate: {} },
  ]) {
    const created = await sender.call("POST", "/users_segments", { payload });
    expect([created.statusCode, created.body]).toEqual([201, expect.any(String)]);
  }
});
afterAll(() => server.close());

let worlds = 0;
function people() {
  const world = `w${++worlds}`;
  return {
    ann: { email: `ann@${world}.example`, anonymous_id: `${world}-ann` },
    bob: { anonymous_id: `${world}-bob` },
    cay: { anonymous_id: `${world}-cay`, domain: `${world}.example` },
  } satisfies Record<string, UserClaims>;
}

const idOf = async (claims: UserClaims) => (await sender.user(claims)).id;

async function join(into: string, claims: UserClaims): Promise<void> {
  const answer = await sender.call("POST", `/${into}/alias`, { payload: { anonymous_id: claims.anonymous_id } });
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
}

const unmerge = (id: string, payload: object) => sender.call("POST", `/${id}/unmerge`, { payload });

async function split(id: string, mergedId: string, more: object = {}) {
  const answer = await unmerge(id, { merged_id: mergedId, ...more });
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  return answer.json<{ position: string; id: string; unmerged_id: string }>();
}

/** All that is known about users: the stored profile, its identifiers, the answers of the question engine, and its counts. */
async function pictureOf(ids: readonly string[]) {
  const { database, questions } = server;
  const stored = await database.query<{ id: string; state: Record<string, unknown>; account_id: string | null }>(
    "select id, state, account_id from users where organization_id = $1 and id = any($2::text[]) order by id",
    [organizationId, ids],
  );
  const identifiers = await database.query(
    "select kind, value, user_id, half_id from user_identifiers where organization_id = $1 and user_id = any($2::text[]) order by kind, value",
    [organizationId, ids],
  );
  const found = await findAll(server, organizationId, "user", { terms: { id: ids } });
  const query = { bool: { must: [{ terms: { user_id: ids } }], must_not: [{ term: { source: "platform" } }] } };
  const events = await findAll(server, organizationId, "event", query);
  const memberships = await questions.membershipsOf(organizationId, [...ids]);
  const records = await Promise.all(ids.map((id) => sender.object(id)));
  return {
    stored: stored.rows.map(({ state: { m: _guard, k: _decided, h: _halves, ...state }, ...row }) => ({
      ...row,
      state,
    })),
    identifiers: identifiers.rows,
    found: found.map(({ id, report }) => ({ id, report: { ...report, indexed_at: null } })),
    events: events.map(({ id, report }) => ({ id, report })),
    members: ids.map(
      (id) =>
        memberships
          .get(id)
          ?.map(({ segmentId }) => segmentId)
          .sort() ?? [],
    ),
    actions: records.map(({ stats }) => (stats as { actions: unknown }).actions),
  };
}

async function begin() {
  const who = people();
  const { ann, bob, cay } = who;
  await sender.settle([
    sender.traits({ user: ann, account: { domain: ann.email.split("@")[1]! } }, { plan: "pro", seats: 3 }),
    sender.traits({ user: bob }, { plan: "free", size: "L", first_page: "/pricing" }),
    sender.traits({ user: cay }, { size: "S" }),
    sender.track({ user: ann }, "Opened", { ip: "8.8.8.8" }),
    sender.track({ user: bob }, "Bought", { session_id: "s1" }),
    sender.track({ user: bob }, "Opened", { event_id: `order-${bob.anonymous_id}` }),
    sender.track({ user: cay }, "Bought"),
  ]);
  const ids = await Promise.all([ann, bob, cay].map(idOf));
  const [annId = "", bobId = "", cayId = ""] = ids;
  return { ...who, ids, annId, bobId, cayId };
}

const actionsOf = async (id: string) => ((await sender.object(id)).stats as { actions: unknown }).actions;

/** Evaluations come after the step of a record. */
const settled = async (ids: readonly string[], members: unknown) => {
  await expect.poll(async () => (await pictureOf(ids)).members, PATIENCE).toEqual(members);
};

describe("a merge that is undone", () => {
  test("leaves both as they were: profiles, identifiers, documents, events, counts and segments", async () => {
    const { bob, ids, annId, bobId } = await begin();
    const before = await pictureOf(ids);
    await settled(ids, before.members);
    await join(annId, bob);
    expect((await sender.user(bob)).id).toBe(annId);
    expect(await split(annId, bobId)).toMatchObject({ id: annId, unmerged_id: bobId, position: expect.any(String) });
    await settled(ids, before.members);
    expect(await pictureOf(ids)).toEqual(before);
  });

  test.each([
    ["the last one first", true],
    ["the first one first", false],
  ])("may be one of several: %s", async (_, isLastFirst) => {
    const { bob, cay, ids, annId, bobId, cayId } = await begin();
    const before = await pictureOf(ids);
    // Cay into Bob, Bob into Ann.
    await join(bobId, cay);
    await join(annId, bob);
    expect((await sender.user(cay)).id).toBe(annId);
    if (isLastFirst) {
      await split(annId, bobId);
      expect((await sender.user(cay)).id).toBe(bobId);
      await split(bobId, cayId);
    } else {
      await split(annId, cayId);
      expect((await sender.user(bob)).id).toBe(annId);
      await split(annId, bobId);
    }
    await settled(ids, before.members);
    expect(await pictureOf(ids)).toEqual(before);
    const left = await server.database.query("select from merge_halves where organization_id = $1 and id = any($2)", [
      organizationId,
      ids,
    ]);
    expect(left.rowCount).toBe(0);
  });

  test("gives back what records wrote since, by the identifier that they named", async () => {
    const { ann, bob, annId, bobId } = await begin();
    await join(annId, bob);
    await sender.settle([
      sender.traits({ user: bob }, { size: "XL" }),
      sender.traits({ user: { email: ann.email } }, { plan: "team" }),
      sender.track({ user: bob }, "Bought", { event_id: `late-${bobId}` }),
      sender.track({ user: { email: ann.email } }, "Opened"),
      sender.track({ user: { id: annId } }, "Closed"),
      sender.traits({ user: { anonymous_id: bob.anonymous_id, external_id: `x-${bobId}` } }, {}),
    ]);
    const [buyers] = (await sender.call("GET", "/users_segments"))
      .json<{ id: string; name: string }[]>()
      .filter(({ name }) => name === "Buyers");
    const isMember = async () => (await pictureOf([annId])).members[0]?.includes(buyers?.id ?? "");
    await expect.poll(isMember, PATIENCE).toBe(true);
    const preview = await unmerge(annId, { merged_id: bobId, dry_run: true });
    expect(preview.json()).toMatchObject({
      dry_run: true,
      survivor: { id: annId, identifiers: { email: [ann.email] }, events: 3 },
      split_off: {
        id: bobId,
        events: 3,
        segments: expect.arrayContaining([expect.objectContaining({ name: "Buyers" })]),
      },
      undecided: { attributes: [], identifiers: [], account: false, events: 1 },
    });
    await split(annId, bobId);
    expect(await sender.user(bob)).toMatchObject({ id: bobId, traits_size: "XL", external_id: `x-${bobId}` });
    const annNow = await sender.user(ann);
    expect(annNow).toMatchObject({ id: annId, traits_plan: "team", external_id: null });
    expect(annNow).not.toHaveProperty("traits_size");
    const names = async (id: string) => (await sender.events({ user: id })).map(({ event }) => event).sort();
    expect(await names(bobId)).toEqual(["Bought", "Bought", "Opened"]);
    expect(await names(annId)).toEqual(["Closed", "Opened", "Opened"]);
    expect(await actionsOf(bobId)).toEqual({ Bought: 2, Opened: 1 });
    // The event id that Bob's record gave is Bob's again.
    await sender.settle([sender.track({ user: bob }, "Bought", { event_id: `late-${bobId}`, properties: { n: 2 } })]);
    expect(await names(bobId)).toEqual(["Bought", "Bought", "Opened"]);
    expect(await actionsOf(bobId)).toEqual({ Bought: 2, Opened: 1 });
  });

  test("asks a person about what cannot be decided", async () => {
    const { ann, bob, annId, bobId } = await begin();
    await join(annId, bob);
    await sender.settle([
      sender.traits({ user: { id: annId } }, { plan: "whose", city: "Oslo" }),
      sender.track({ user: { email: ann.email, anonymous_id: bob.anonymous_id } }, "Waved"),
      sender.traits({ user: { id: annId, external_id: `y-${annId}` } }, {}),
    ]);
    const shown = (await unmerge(annId, { merged_id: bobId, dry_run: true })).json();
    expect(shown.undecided).toMatchObject({
      attributes: [
        { name: "plan", value: "whose", otherwise: "pro" },
        { name: "city", value: "Oslo", otherwise: null },
      ],
      identifiers: [{ kind: "external_id", value: `y-${annId}` }],
      events: 1,
    });
    const known = await unmerge(annId, { merged_id: bobId, choices: { attributes: ["seats"] } });
    expect([known.statusCode, known.json().error.code]).toEqual([400, "invalid_parameter"]);
    const choices = {
      attributes: ["plan"],
      identifiers: [{ kind: "external_id", value: `y-${annId}` }],
      events: true,
    };
    await split(annId, bobId, { choices });
    expect(await sender.user(ann)).toMatchObject({ traits_plan: "pro", traits_city: "Oslo", external_id: null });
    expect(await sender.user(bob)).toMatchObject({ traits_plan: "whose", external_id: `y-${annId}` });
    expect((await sender.events({ user: bobId })).map(({ event }) => event).sort()).toEqual([
      "Bought",
      "Opened",
      "Waved",
    ]);
    expect(await actionsOf(bobId)).toEqual({ Bought: 1, Opened: 1, Waved: 1 });
  });

  test("is the same in a question engine that is filled anew", async () => {
    const { bob, ids, annId, bobId } = await begin();
    await join(annId, bob);
    await sender.settle([sender.track({ user: bob }, "Bought"), sender.traits({ user: bob }, { size: "M" })]);
    await split(annId, bobId);
    const before = await pictureOf(ids);
    const rebuild = (method: "GET" | "POST") =>
      server.app.inject({
        method,
        url: "/api/v1/rebuild",
        headers: server.operatorHeaders,
        ...(method === "POST" ? { payload: {} } : {}),
      });
    expect((await rebuild("POST")).statusCode).toBe(202);
    await expect.poll(async () => (await rebuild("GET")).json()[0].phase, PATIENCE).toBe("done");
    expect(await pictureOf(ids)).toEqual(before);
  });

  test("is listed, and cannot be undone twice, nor for somebody else", async () => {
    const { bob, annId, bobId, cayId } = await begin();
    await join(annId, bob);
    const merges = async (id: string) => (await sender.call("GET", `/${id}/merges`)).json();
    expect(await merges(annId)).toMatchObject({
      type: "user",
      merges: [{ merged_id: bobId, can_undo: true, why_not: "", cause: { identifier: "anonymous_id" } }],
      undone: [],
    });
    const refusal = async (id: string, mergedId: string) => {
      const answer = await unmerge(id, { merged_id: mergedId });
      return [answer.statusCode, answer.json().error.code];
    };
    expect(await refusal(annId, cayId)).toEqual([404, "not_found"]);
    expect(await refusal(annId, annId)).toEqual([409, "conflict"]);
    await split(annId, bobId);
    expect(await refusal(annId, bobId)).toEqual([409, "conflict"]);
    expect(await merges(annId)).toMatchObject({ merges: [], undone: [{ merged_id: bobId, survivor_id: annId }] });
    expect(await merges(bobId)).toMatchObject({ merges: [], undone: [{ merged_id: bobId, survivor_id: annId }] });
  });

  test("keeps the two apart until somebody allows it again", async () => {
    const { ann, bob, annId, bobId } = await begin();
    await join(annId, bob);
    await split(annId, bobId);
    const both = () => sender.traits({ user: { email: ann.email, anonymous_id: bob.anonymous_id } }, { met: true });
    await sender.settle([both()]);
    expect(await idOf(bob)).toBe(bobId);
    expect((await sender.rejected()).at(-1)).toMatchObject({
      code: "identity_conflict",
      message: expect.stringContaining("must not be merged"),
    });
    const listed = (await sender.call("GET", "/do_not_merge")).json<{ id: string; subject_ids: string[] }[]>();
    const decision = listed.find(({ subject_ids }) => subject_ids.includes(bobId));
    expect(decision?.subject_ids).toEqual([annId, bobId]);
    expect((await sender.call("DELETE", `/do_not_merge/${decision?.id}`)).statusCode).toBe(200);
    expect((await sender.call("DELETE", `/do_not_merge/${decision?.id}`)).statusCode).toBe(404);
    await sender.settle([both()]);
    expect(await idOf(bob)).toBe(annId);
  });

  test("lets either of them be erased, and the other one stays", async () => {
    const { bob, cay, annId, bobId, cayId } = await begin();
    await join(annId, bob);
    await join(annId, cay);
    await sender.settle([sender.track({ user: bob }, "Bought")]);
    await split(annId, bobId);
    await split(annId, cayId);
    await sender.settle([sender.entry("incinerate", { user: { id: cayId } }, {})]);
    expect((await sender.call("GET", `/${cayId}`)).statusCode).toBe(404);
    await sender.settle([sender.entry("incinerate", { user: { id: annId } }, {})]);
    expect((await sender.call("GET", `/${annId}`)).statusCode).toBe(404);
    expect(await sender.user(bob)).toMatchObject({ id: bobId, traits_size: "L" });
    expect((await sender.events({ user: bobId })).length).toBe(3);
    const rebuild = (method: "GET" | "POST") =>
      server.app.inject({
        method,
        url: "/api/v1/rebuild",
        headers: server.operatorHeaders,
        ...(method === "POST" ? { payload: {} } : {}),
      });
    await rebuild("POST");
    await expect.poll(async () => (await rebuild("GET")).json()[0].phase, PATIENCE).toBe("done");
    expect((await sender.events({ user: bobId })).length).toBe(3);
  });
});

describe("an account that is split off", () => {
  test("has its values and its users again", async () => {
    const world = `w${++worlds}`;
    const acme = { domain: `acme-${world}.example` };
    const globex = { anonymous_id: `globex-${world}` };
    const user = (name: string) => ({ external_id: `${name}-${world}` });
    await sender.settle([
      sender.traits({ account: acme }, { name: "Acme", seats: 5 }),
      sender.traits({ account: globex }, { name: "Globex" }),
      ...["a", "b"].map((name) => sender.traits({ user: user(name), account: acme }, {})),
      ...["g", "h"].map((name) => sender.traits({ user: user(name), account: globex }, {})),
    ]);
    const accountOf = async (name: string) => (await sender.user(user(name))).account_id;
    const [acmeId, globexId] = [String(await accountOf("a")), String(await accountOf("g"))];
    await sender.settle([sender.entry("alias", { account: acme }, globex)]);
    expect(await accountOf("g")).toBe(acmeId);
    await sender.settle([
      sender.traits({ user: user("i"), account: globex }, {}),
      sender.traits({ account: globex }, { seats: 7 }),
      sender.traits({ user: user("g") }, { plan: "pro" }),
    ]);
    expect((await sender.call("GET", `/${acmeId}/merges`)).json()).toMatchObject({ type: "account", merges: [{}] });
    await split(acmeId, globexId);
    const links = async () => Promise.all(["a", "b", "g", "h", "i"].map(accountOf));
    await expect.poll(links, PATIENCE).toEqual([acmeId, acmeId, globexId, globexId, globexId]);
    const report = async (id: string) => (await sender.call("GET", `/${id}/account_report`)).json();
    expect(await report(acmeId)).toMatchObject({ name: "Acme", seats: 5 });
    expect(await report(globexId)).toMatchObject({ name: "Globex", seats: 7 });
    const found = async () => {
      const users = await findAll(server, organizationId, "user", { term: { "account.id": globexId } });
      return users.length;
    };
    await expect.poll(found, PATIENCE).toBe(3);
  });
});

test("undoing the merge of a user with 10,000 events takes a moment", async () => {
  const { bob, annId, bobId } = await begin();
  for (let batch = 0; batch < 10; batch++) {
    const events = Array.from({ length: 1_000 }, (_, index) => {
      return sender.track({ user: bob }, "Viewed", { event_id: `${bobId}-${batch}-${index}` });
    });
    await sender.settle(events);
  }
  await join(annId, bob);
  const begun = performance.now();
  await split(annId, bobId);
  const tookMs = performance.now() - begun;
  process.stdout.write(`Undoing the merge of a user with 10,000 events took ${Math.round(tookMs)} ms.\n`);
  expect(await actionsOf(bobId)).toMatchObject({ Viewed: 10_000 });
  const query = { bool: { must: [{ term: { user_id: bobId } }, { term: { event: "Viewed" } }] } };
  expect((await findAll(server, organizationId, "event", query)).length).toBe(10_000);
  // The promise is a second, and it takes a fifth of that. Other tests on a busy machine make it several times slower.
  expect(tookMs).toBeLessThan(5_000);
}, 120_000);
