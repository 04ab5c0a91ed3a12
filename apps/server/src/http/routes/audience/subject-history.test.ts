import { createId } from "@muster/protocol";
import type { AttributeState, SubjectIdentity as IdentityRecord, TimelineItem } from "@muster/protocol/api/history";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TimelinePage } from "../../../audience/subjects/timeline.js";
import { openOrganization, Sender } from "../../../testing/sender.js";
import { type SignedIn, signInAs } from "../../../testing/signed-in.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";
import { noteTraces } from "../../../testing/traces.js";

let server: TestServer;
let shop: Sender;
let crm: Sender;
let stranger: Sender;
let writers: Record<"shop" | "crm", { connector_id: string; connector_name: string; job_id: null }>;

beforeAll(async () => {
  server = await openTestServer();
  shop = new Sender(server);
  const payload = { name: "CRM" };
  const headers = server.operatorHeaders;
  const created = await server.app.inject({ method: "POST", url: "/api/v1/connectors", headers, payload });
  const { id, secret } = created.json<{ id: string; secret: string }>();
  crm = new Sender(server, { id, secret });
  stranger = await openOrganization(server, "globex");
  const { id: shopId, name } = server.first.connector;
  writers = {
    shop: { connector_id: shopId, connector_name: name, job_id: null },
    crm: { connector_id: id, connector_name: "CRM", job_id: null },
  };
});
afterAll(() => server.close());

const at = (minute: number) => new Date(Date.UTC(2026, 3, 1, 12, minute));

async function get<Answer>(path: string, sender?: Sender): Promise<Answer> {
  const headers = sender?.headers ?? server.operatorHeaders;
  const answer = await server.app.inject({ url: `/api/v1${path}`, headers });
  expect([path, answer.statusCode, answer.body]).toEqual([path, 200, expect.any(String)]);
  return answer.json<Answer>();
}

async function attributesOf(id: string): Promise<Record<string, AttributeState>> {
  const { attributes } = await get<{ attributes: AttributeState[] }>(`/${id}/attributes`);
  return Object.fromEntries(attributes.map((attribute) => [attribute.name, attribute]));
}

const timelineOf = (id: string, query = "") => get<TimelinePage>(`/${id}/timeline?${query}`);
const kindsIn = ({ items }: TimelinePage) => items.map(({ kind }) => kind);

function only<Kind extends TimelineItem["kind"]>({ items }: TimelinePage, kind: Kind) {
  return items.filter((item): item is Extract<TimelineItem, { kind: Kind }> => item.kind === kind);
}

describe("attributes", () => {
  test("have their writer, the time of the record, and the values before with who replaced them", async () => {
    const ann = { user: { external_id: "ann" } };
    await shop.settle([shop.traits(ann, { plan: "free", name: "Ann" }, at(1))]);
    await crm.settle([crm.traits(ann, { plan: "pro" }, at(2))]);
    await shop.settle([shop.traits(ann, { plan: "team" }, at(3))]);
    const { id } = await shop.user(ann.user);
    const { plan, name, external_id, created_at } = await attributesOf(id);
    expect(plan).toMatchObject({
      key: "traits_plan",
      type: "string",
      value: "team",
      set_at: at(3).toISOString(),
      set_by: writers.shop,
      tracked: true,
      previous: [
        { value: "pro", replaced_by: writers.shop },
        { value: "free", replaced_by: writers.crm },
      ],
    });
    expect(plan?.changed_at).toBe(plan?.previous[0]?.until);
    expect(name).toMatchObject({ value: "Ann", set_by: writers.shop, changed_at: null, previous: [] });
    expect(external_id).toMatchObject({ value: "ann" });
    expect(created_at).toMatchObject({ computed: false, set_at: null, set_by: null });
  });

  test("say that a value was unset, and when their changes are not tracked", async () => {
    const carl = { user: { external_id: "carl" } };
    await shop.settle([shop.traits(carl, { seats: 3, secret_sauce: "a" }, at(1))]);
    const untracked = { method: "PUT", url: "/api/v1/settings/user_traits/secret_sauce" } as const;
    await server.app.inject({ ...untracked, headers: server.operatorHeaders, payload: { track_changes: false } });
    await shop.settle([shop.traits(carl, { seats: null, secret_sauce: "b" }, at(2))]);
    const { seats, secret_sauce } = await attributesOf((await shop.user(carl.user)).id);
    expect(seats).toMatchObject({ value: null, set_at: at(2).toISOString(), previous: [{ value: 3 }] });
    expect(secret_sauce).toMatchObject({ value: "b", tracked: false, changed_at: null, previous: [] });
  });

  test("that are hidden are shown neither as attributes nor as changes", async () => {
    const dora = { user: { external_id: "dora" } };
    await shop.settle([shop.traits(dora, { shoe_size: 40 }, at(1))]);
    await shop.settle([shop.traits(dora, { shoe_size: 41 }, at(2))]);
    const hidden = { method: "PUT", url: "/api/v1/settings/user_traits/shoe_size" } as const;
    await server.app.inject({ ...hidden, headers: server.operatorHeaders, payload: { visible: false } });
    const { id } = await shop.user(dora.user);
    expect(await attributesOf(id)).not.toHaveProperty("shoe_size");
    expect((await timelineOf(id, "kinds=change")).items).toEqual([]);
  });

  test("keep the writer of the value that wins a merge, and the history of both", async () => {
    const visitor = { user: { anonymous_id: "v-1" } };
    const emma = { user: { external_id: "emma" } };
    await shop.settle([shop.traits(visitor, { city: "Bern" }, at(1))]);
    await shop.settle([shop.traits(visitor, { city: "Basel" }, at(5))]);
    await crm.settle([crm.traits(emma, { city: "Chur" }, at(2))]);
    const former = (await shop.user(visitor.user)).id;
    await crm.settle([crm.entry("alias", emma, { anonymous_id: "v-1" }, at(6))]);
    const { id } = await shop.user(emma.user);
    const { city } = await attributesOf(id);
    expect(city).toMatchObject({ value: "Basel", set_at: at(5).toISOString(), set_by: writers.shop });
    expect(city?.previous.map(({ value }) => value).sort()).toEqual(["Bern", "Chur"]);
    expect(await attributesOf(former)).toEqual(await attributesOf(id));
  });

  test("are the same after the same entries came again", async () => {
    const finn = { user: { external_id: "finn" } };
    const entries = [shop.traits(finn, { plan: "free" }, at(1)), shop.traits(finn, { plan: "pro" }, at(2))];
    for (const entry of entries) await shop.settle([entry]);
    const { id } = await shop.user(finn.user);
    const before = await attributesOf(id);
    for (const entry of entries) await shop.settle([entry]);
    const { updated_at: _before, ...rest } = before;
    const { updated_at: _after, ...again } = await attributesOf(id);
    expect(again).toEqual(rest);
  });
});

describe("the timeline", () => {
  const gina = { user: { external_id: "gina", email: "gina@example.com" }, account: { domain: "gina.example" } };
  let id: string;
  let segmentId: string;

  beforeAll(async () => {
    const payload = { name: "Team", query: { term: { traits_plan: "team-of-gina" } }, predicate: {} };
    const headers = shop.headers;
    const created = await server.app.inject({ method: "POST", url: "/api/v1/users_segments", headers, payload });
    segmentId = created.json<{ id: string }>().id;
    await shop.settle([
      shop.traits(gina, { plan: "free" }, at(0)),
      shop.track(gina, "Signed up", { properties: { from: "ad" } }, at(1)),
      shop.track(gina, "Ordered", { properties: { total: 5 } }, at(2)),
      shop.track(gina, "Ordered", { properties: { total: 7 } }, at(2)),
    ]);
    await shop.settle([shop.traits(gina, { plan: "team-of-gina" }, at(3))]);
    ({ id } = await shop.user(gina.user));
    await shop.call("POST", `/${id}/comments`, { payload: { text: "Called back" } });
    await server.app.inject({
      method: "POST",
      url: `/api/v1/${id}/comments`,
      headers: server.operatorHeaders,
      payload: { text: "Wants an invoice" },
    });
    await noteTraces(server, [id], "too slow");
    await shop.settle([shop.traits({ user: { anonymous_id: "g-9" } }, { seen: true }, at(4))]);
    await shop.settle([shop.entry("alias", gina, { anonymous_id: "g-9" }, at(5))]);
  });

  test("has events, changes, moves, deliveries, merges and comments, the latest first", async () => {
    const page = await timelineOf(id);
    expect([...new Set(kindsIn(page))].sort()).toEqual(["change", "comment", "delivery", "event", "merge", "segment"]);
    const times = page.items.map((item) => item.at);
    expect(times).toEqual([...times].sort().reverse());
    expect(page.next).toBeNull();
    expect(only(page, "event").map(({ event }) => event)).toEqual(["Ordered", "Ordered", "Signed up"]);
    expect(only(page, "segment")).toMatchObject([{ segment_id: segmentId, segment_name: "Team", entered: true }]);
    expect(only(page, "change").flatMap(({ changes }) => changes)).toContainEqual({
      name: "plan",
      from: "free",
      to: "team-of-gina",
      written_by: writers.shop,
    });
    expect(only(page, "delivery")).toMatchObject([{ connector_name: writers.shop.connector_name, reason: "too slow" }]);
    expect(only(page, "comment").map(({ text, author_name }) => [text, author_name])).toEqual([
      ["Wants an invoice", "Operator"],
      ["Called back", writers.shop.connector_name],
    ]);
    expect(only(page, "merge")).toMatchObject([
      {
        merged_identifiers: { anonymous_id: ["g-9"] },
        cause: {
          identifier: "anonymous_id",
          value: "g-9",
          recorded_at: at(5).toISOString(),
          written_by: writers.shop,
        },
      },
    ]);
  });

  test("has the same items page by page, each once", async () => {
    const whole = (await timelineOf(id)).items;
    for (const size of [1, 2, 3]) {
      const items: TimelineItem[] = [];
      let next: string | null = "";
      while (next !== null) {
        const page: TimelinePage = await timelineOf(id, `per_page=${size}${next ? `&cursor=${next}` : ""}`);
        items.push(...page.items);
        next = page.next;
      }
      expect(items.map((item) => item.id).sort()).toEqual(whole.map((item) => item.id).sort());
      const times = items.map((item) => item.at);
      expect(times).toEqual([...times].sort().reverse());
    }
  });

  test("can be of some kinds, of one event name, and after a time", async () => {
    expect(new Set(kindsIn(await timelineOf(id, "kinds=comment,delivery")))).toEqual(new Set(["comment", "delivery"]));
    expect(kindsIn(await timelineOf(id, "name=Ordered"))).toEqual(["event", "event"]);
    expect(only(await timelineOf(id, `kinds=event&after=${at(1).toISOString()}`), "event")).toHaveLength(2);
    const now = new Date(Date.now() + 1_000).toISOString();
    expect((await timelineOf(id, `after=${now}`)).items).toEqual([]);
  });

  test("of an account has the events of its users, its own changes, and its merges", async () => {
    const { account_id: accountId } = await shop.user(gina.user);
    const site = { account: { domain: "gina.example" } };
    await shop.settle([shop.traits(site, { tier: "a" }, at(1)), shop.traits({ account: { anonymous_id: "s-1" } }, {})]);
    await shop.settle([shop.traits(site, { tier: "b" }, at(2))]);
    await shop.settle([shop.entry("alias", site, { anonymous_id: "s-1" }, at(3))]);
    const page = await timelineOf(String(accountId));
    expect(only(page, "event").map(({ user_id }) => user_id)).toEqual([id, id, id]);
    expect(only(page, "change").flatMap(({ changes }) => changes)).toContainEqual(
      expect.objectContaining({ name: "tier", from: "a", to: "b" }),
    );
    expect(only(page, "merge")).toMatchObject([{ cause: { identifier: "anonymous_id", value: "s-1" } }]);
  });

  test.each([
    ["kinds=dance", "querystring.kinds must be some of"],
    ["cursor=x", "`cursor` must be the `next` of an earlier page."],
    ["per_page=1000", "per_page"],
    ["after=yesterday", "after"],
  ])("refuses %s", async (query, reason) => {
    const answer = await server.app.inject({
      url: `/api/v1/${id}/timeline?${query}`,
      headers: server.operatorHeaders,
    });
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining(reason)]);
  });

  test.each(["attributes", "timeline", "identity"])("nobody outside the organization reads %s", async (what) => {
    expect((await stranger.call("GET", `/${id}/${what}`)).statusCode).toBe(404);
    const token = { "svc-access-token": shop.token(gina), "svc-app-id": server.first.connector.id };
    const answer = await server.app.inject({ url: `/api/v1/${id}/${what}`, headers: token });
    expect([401, 403]).toContain(answer.statusCode);
    expect((await shop.call("GET", `/${createId("user")}/${what}`)).statusCode).toBe(404);
  });
});

describe("identity", () => {
  const unalias = (id: string, payload: object, headers = server.operatorHeaders) =>
    server.app.inject({ method: "POST", url: `/api/v1/${id}/unalias`, headers, payload });

  test("has the identifiers and the merges, and an identifier can be taken away", async () => {
    const hans = { user: { external_id: "hans" } };
    await shop.settle([shop.traits({ user: { anonymous_id: "h-1" } }, { seen: true }), shop.traits(hans, {})]);
    await shop.settle([shop.entry("alias", hans, { anonymous_id: "h-1" })]);
    const { id } = await shop.user(hans.user);
    const before = await get<IdentityRecord>(`/${id}/identity`);
    expect(before).toMatchObject({
      id,
      type: "user",
      identifiers: { external_id: ["hans"], anonymous_id: ["h-1"] },
      merges: [{ cause: { identifier: "anonymous_id", value: "h-1", written_by: writers.shop } }],
    });
    expect((await unalias(id, { anonymous_id: "h-1" })).statusCode).toBe(200);
    expect((await get<IdentityRecord>(`/${id}/identity`)).identifiers).toEqual({ external_id: ["hans"] });
    await shop.settle([shop.traits({ user: { anonymous_id: "h-1" } }, { seen: true })]);
    expect((await shop.user({ anonymous_id: "h-1" })).id).not.toBe(id);
  });

  test("refuses an identifier that the user does not have", async () => {
    await shop.settle([shop.traits({ user: { external_id: "ida" } }, {})]);
    const { id } = await shop.user({ external_id: "ida" });
    const other = await unalias(id, { email: "somebody@example.com" });
    expect([other.statusCode, other.json()]).toMatchObject([
      409,
      { error: { message: 'The user does not have the email "somebody@example.com".' } },
    ]);
    expect((await unalias(id, {})).statusCode).toBe(400);
  });
});

describe("people who are signed in", () => {
  const call = (method: "GET" | "POST" | "PUT", path: string, { headers }: SignedIn, payload?: object) =>
    server.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });

  test("read the history with any role, and change it with the right one", async () => {
    await shop.settle([shop.traits({ user: { external_id: "jana" } }, { plan: "pro" })]);
    const { id } = await shop.user({ external_id: "jana" });
    const [viewer, editor, owner] = [
      await signInAs(server, "viewer"),
      await signInAs(server, "editor"),
      await signInAs(server, "owner"),
    ];
    for (const what of ["attributes", "timeline", "identity"]) {
      expect([what, (await call("GET", `/${id}/${what}`, viewer)).statusCode]).toEqual([what, 200]);
    }
    for (const [path, body] of [
      ["unalias", { external_id: "jana" }],
      ["send", { connector_id: writers.crm.connector_id }],
      ["comments", { text: "x" }],
    ] as const) {
      expect([path, (await call("POST", `/${id}/${path}`, viewer, body)).statusCode]).toEqual([path, 403]);
    }
    await call("POST", `/${id}/comments`, editor, { text: "Hello" });
    const comments = only(await timelineOf(id, "kinds=comment"), "comment");
    expect(comments.map(({ text, author_name }) => [text, author_name])).toEqual([["Hello", "The editor"]]);

    const write = (by: SignedIn, attributes: object) => call("PUT", `/${id}/attributes`, by, { attributes });
    expect((await write(viewer, { plan: "team" })).statusCode).toBe(403);
    expect((await write(editor, { plan: "team", traits_unknown: 1 })).json().message).toContain("it is not defined");
    expect((await write(editor, { plan: 4 })).json().message).toContain("type is string");
    expect((await write(editor, { last_seen_at: "2026-01-01" })).json().message).toContain("Muster sets it");
    expect((await write(editor, { traits_plan: "team" })).statusCode).toBe(200);
    const byEditor = { connector_id: null, job_id: null, member_id: editor.id, member_name: "The editor" };
    expect((await attributesOf(id)).plan).toMatchObject({
      value: "team",
      set_by: byEditor,
      previous: [{ value: "pro", replaced_by: byEditor }],
    });
    expect((await write(editor, { plan: null })).statusCode).toBe(200);
    expect((await attributesOf(id)).plan).toMatchObject({ value: null, set_by: byEditor });
    const audit = await get<{ action: string; object_id: string; after: unknown }[]>("/audit");
    expect(audit.find(({ action }) => action === "PUT /api/v1/:id/attributes")).toMatchObject({
      object_id: id,
      after: { attributes: ["plan"] },
    });

    expect((await call("PUT", `/${id}`, editor, { approved: false })).statusCode).toBe(200);
    const granted = await call("PUT", `/${id}`, editor, { is_admin: true });
    expect([granted.statusCode, granted.body]).toEqual([403, expect.stringContaining("Only owners")]);
    expect((await call("PUT", `/${id}`, owner, { is_admin: true })).json()).toMatchObject({ is_admin: true });
  });
});
