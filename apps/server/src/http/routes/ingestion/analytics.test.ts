import { gzipSync } from "node:zlib";
import type { NewWriteKey, WriteKey } from "@muster/protocol/api/write-keys";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChangeSet } from "../../../domain/changes/change-set.js";
import { decompress } from "../../../storage/logs/compression.js";
import { openOrganization, Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer, withTestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let serverKey: string;
let pageKey: string;
let trustedKey: string;

const SITE = "https://www.acme.example";

beforeAll(async () => {
  server = await openTestServer({ BROWSER_RECORDS_PER_MINUTE: "100000" });
  sender = new Sender(server);
  serverKey = await keyOf({ kind: "server", name: "Backend" });
  pageKey = await keyOf({ kind: "page", name: "Site", domains: ["*.acme.example"], apps: ["com.acme.shop"] });
  trustedKey = await keyOf({ kind: "page", name: "Portal", domains: ["portal.example"], trust_identify: true });
});
afterAll(() => server.close());

async function keyOf(payload: NewWriteKey, connectorId = server.first.connector.id): Promise<string> {
  const url = `/api/v1/${connectorId}/write_keys`;
  const answer = await server.app.inject({ method: "POST", url, headers: server.operatorHeaders, payload });
  expect(answer.statusCode).toBe(201);
  return answer.json<WriteKey>().key ?? "";
}

type Headers = Record<string, string>;

const basic = (key: string): Headers => ({ authorization: `Basic ${btoa(`${key}:`)}` });
const onPage = (key: string, origin = SITE): Headers => ({ ...basic(key), origin });

function send(path: string, payload: InjectOptions["payload"], headers: Headers = basic(serverKey)) {
  return server.app.inject({ method: "POST", url: `/v1/${path}`, payload, headers });
}

/** Waits until the calls are searchable. */
async function settle(answer: Promise<LightMyRequestResponse>): Promise<void> {
  const { statusCode, body } = await answer;
  expect([statusCode, body]).toEqual([200, expect.any(String)]);
  const { position } = JSON.parse(body) as { position?: string };
  if (position !== undefined) await sender.waitFor(position);
  // A page is not told where its calls are. What is sent after them is found after them.
  else await sender.settle([sender.traits({ user: { email: "last@example.com" } }, {})]);
}

describe("with a server key", () => {
  test("calls make users, accounts and events, each call once", async () => {
    const page = { url: "https://a.example/x", title: "X" };
    const traits = { email: "ada@example.com", firstName: "Ada" };
    const batch = [
      { type: "identify", userId: "u1", anonymousId: "b1", traits, messageId: "1" },
      {
        type: "group",
        userId: "u1",
        groupId: "acme",
        traits: { name: "Acme", domain: "acme.example" },
        messageId: "2",
      },
      { type: "track", userId: "u1", event: "Ordered", properties: { total: 20 }, messageId: "3" },
      { type: "page", anonymousId: "b1", name: "Home", context: { page }, messageId: "4" },
    ];
    await settle(send("batch", { batch, sentAt: new Date() }));
    // A library sends calls again, cut into other batches, at another time by its clock.
    await settle(send("batch", { batch: batch.slice(1), sentAt: "2026-01-01T00:00:00Z" }));
    await settle(send("t", { ...batch[2], sentAt: new Date() }));
    const user = await sender.user({ external_id: "u1" });
    expect(user).toMatchObject({ email: "ada@example.com", first_name: "Ada" });
    expect(user.account).toMatchObject({ external_id: "acme", name: "Acme", domain: "acme.example" });
    const events = await sender.events({ user: user.id });
    expect(events.map(({ event }) => event).sort()).toEqual(["Ordered", "Page viewed"]);
    expect(events.find(({ event }) => event === "Page viewed")).toMatchObject({
      event_type: "page",
      properties: { name: "Home" },
      context: { page: { ...page, host: "a.example", path: "/x" } },
    });
  });

  test("one line of curl is enough: any content type, no times, the key in the header or in the body", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const call = JSON.stringify({ userId: "curl", event: "Signed up" });
    await settle(send("track", call, { ...basic(serverKey), ...form }));
    await settle(send("track", call, { ...basic(serverKey), ...form }));
    await settle(send("track", JSON.stringify({ userId: "curl", event: "Signed up", writeKey: serverKey }), form));
    const zipped = gzipSync(
      JSON.stringify({ writeKey: serverKey, batch: [{ type: "track", userId: "curl", event: "Signed up" }] }),
    );
    await settle(send("b", zipped, { "content-type": "text/plain", "content-encoding": "gzip" }));
    const { id } = await sender.user({ external_id: "curl" });
    expect(await sender.events({ event: "Signed up", user: id })).toHaveLength(4);
  });

  test("the short addresses mean the long ones", async () => {
    for (const [path, fields] of [
      ["i", { traits: { plan: "pro" } }],
      ["p", {}],
      ["s", {}],
      ["g", { groupId: "short" }],
      ["a", { previousId: "short-before" }],
    ] as const) {
      await settle(send(path, { userId: "short", messageId: `short-${path}`, ...fields }));
    }
    await settle(send("import", { batch: [{ type: "identify", userId: "short", traits: { seats: 3 } }] }));
    const user = await sender.user({ anonymous_id: "short-before" });
    expect(user).toMatchObject({ external_id: "short", traits_plan: "pro", traits_seats: 3 });
  });

  test("connectors are told of no change that a call keeps from all of them", async () => {
    await settle(send("identify", { userId: "quiet", traits: { plan: "pro" }, integrations: { All: false } }));
    await settle(send("identify", { userId: "loud", traits: { plan: "pro" } }));
    const { rows } = await server.database.query<{ payload: Buffer }>("select payload from changes");
    const changes = rows.map(({ payload }) => decompress<ChangeSet>(payload));
    const isQuiet = async (externalId: string) => {
      const { id } = await sender.user({ external_id: externalId });
      return changes.filter(({ users }) => users.some((user) => user.id === id)).map(({ quiet }) => quiet === true);
    };
    expect([await isQuiet("quiet"), await isQuiet("loud")]).toEqual([[true], [false]]);
  });

  test("a refused call has its reason in the answer and in the list of rejected entries", async () => {
    const batch = [
      { type: "track", userId: "list", event: "Fine" },
      { type: "track", userId: "list" },
      { type: "identify", traits: {} },
    ];
    const answer = await send("batch", { batch });
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        success: true,
        position: expect.any(String),
        accepted: 1,
        rejected: [
          { index: 1, code: "invalid_parameter", message: "A track entry needs the name of its event." },
          { index: 2, code: "invalid_parameter", message: expect.stringContaining("names nobody") },
        ],
      },
    ]);
    const alone = await send("track", { event: "Signed up", writeKey: serverKey });
    expect([alone.statusCode, alone.json()]).toMatchObject([400, { message: expect.stringContaining("names nobody") }]);
    const rejected = await sender.rejected();
    expect(rejected.map(({ message }) => message)).toEqual([
      "A track entry needs the name of its event.",
      expect.stringContaining("names nobody"),
      expect.stringContaining("names nobody"),
    ]);
    expect(rejected.map(({ code, entry }) => [code, (entry.body as { type: string }).type])).toEqual([
      ["invalid_call", "track"],
      ["invalid_call", "identify"],
      ["invalid_call", "track"],
    ]);
    expect(JSON.stringify(rejected)).not.toContain(serverKey);
    // What is listed is the call, which is no entry.
    const retry = await sender.call("POST", "/ingestion/rejected/retry", { payload: {} });
    expect(retry.json()).toMatchObject({ retried: 0 });
    expect(rejected[0]?.entry).toMatchObject({ user: { external_id: "list" }, body: batch[1] });
  });

  test.each([
    ["no key", "track", "{}", {}, 401],
    ["a wrong key", "track", "{}", basic("wks_00000000000000000000000000000000"), 401],
    ["a wrong key in the body", "track", '{"writeKey":"no"}', {}, 401],
    ["no JSON", "track", "{", undefined, 400],
    ["no JSON and no key", "track", "{", {}, 400],
    ["nothing", "batch", "", undefined, 400],
    ["no batch", "batch", "{}", undefined, 400],
    ["no object", "batch", "[1]", undefined, 400],
    ["a call that is no object", "track", "1", undefined, 400],
    ["a call of more than 32 kB", "track", JSON.stringify({ userId: "u", event: "x".repeat(33_000) }), undefined, 400],
    ["more than 500 kB", "batch", JSON.stringify({ batch: ["x".repeat(513_000)] }), undefined, 400],
  ])("a request with %s is refused", async (_what, path, payload, headers, status) => {
    const answer = await send(path, payload, headers ?? basic(serverKey));
    expect([answer.statusCode, answer.json()]).toEqual([
      status,
      expect.objectContaining({ message: expect.any(String) }),
    ]);
  });

  test("what a batch says for all of its calls is limited as if each of them said it", async () => {
    const calls = (count: number) => Array.from({ length: count }, () => ({ type: "page", userId: "shared" }));
    const messageOf = async (context: string, count: number) => {
      const answer = await send("batch", `{"context":${context},"batch":${JSON.stringify(calls(count))}}`);
      return [answer.statusCode, answer.json<{ message: string }>().message];
    };
    expect(await messageOf(`{"x":${"[".repeat(8_000)}${"]".repeat(8_000)}}`, 1)).toEqual([
      400,
      "The context of the batch is nested too deep.",
    ]);
    expect(await messageOf(`{"x":"${"x".repeat(60_000)}"}`, 50)).toEqual([
      400,
      expect.stringContaining("too large for so many"),
    ]);
    const numbers = `{"type":"page","userId":"shared","properties":{"list":[${"1e20,".repeat(6_000)}1]}}`;
    const answer = await send("page", numbers);
    expect([answer.statusCode, answer.json()]).toMatchObject([
      400,
      { message: expect.stringContaining("131072 bytes") },
    ]);
  });

  test("a call that is sent again is not told again", async () => {
    const call = { userId: "again", event: "Paid", messageId: "paid-1", timestamp: "2026-01-01T10:00:00Z" };
    await settle(send("track", { ...call, sentAt: "2026-01-01T10:00:01Z" }));
    await settle(send("track", { ...call, sentAt: "2026-01-01T10:05:00Z" }));
    const { rows } = await server.database.query<{ payload: Buffer }>("select payload from changes");
    const told = rows
      .flatMap(({ payload }) => decompress<ChangeSet>(payload).events)
      .filter(({ event }) => event === "Paid");
    expect(told).toHaveLength(1);
  });

  test("a page that has it is told what to do", async () => {
    const answer = await send("track", { userId: "u1", event: "Ordered" }, onPage(serverKey));
    expect([answer.statusCode, answer.json()]).toMatchObject([
      403,
      { message: expect.stringContaining("make a new server key") },
    ]);
  });
});

describe("with a page key", () => {
  test("a stranger cannot write as somebody else, and the visitor is kept", async () => {
    await settle(send("identify", { userId: "victim", traits: { email: "victim@example.com", plan: "pro" } }));
    const lie = { userId: "victim", anonymousId: "stranger", traits: { email: "victim@example.com", plan: "free" } };
    await settle(send("identify", lie, onPage(pageKey)));
    await settle(send("group", { ...lie, groupId: "acme", traits: { name: "Hacked" } }, onPage(pageKey)));
    await settle(send("alias", { userId: "victim", previousId: "stranger" }, onPage(pageKey)));
    await settle(send("track", { ...lie, event: "Ordered" }, onPage(pageKey)));
    const victim = await sender.user({ external_id: "victim" });
    expect(victim).toMatchObject({ traits_plan: "pro" });
    expect(await sender.events({ user: victim.id })).toEqual([]);
    const stranger = await sender.user({ anonymous_id: "stranger" });
    expect(stranger.id).not.toBe(victim.id);
    expect(stranger).toMatchObject({ traits_claimed_user_id: "victim", traits_claimed_account_id: "acme" });
    expect(stranger.account ?? null).toBeNull();
    // What the server says later, with proof, joins them.
    await settle(send("identify", { userId: "victim", anonymousId: "stranger", traits: {} }));
    expect((await sender.user({ anonymous_id: "stranger" })).id).toBe(victim.id);
    expect(await sender.user({ external_id: "victim" })).toMatchObject({ traits_plan: "pro" });
  });

  test("a source whose owner trusts it identifies", async () => {
    const call = { userId: "known", anonymousId: "portal-1", traits: { email: "known@example.com" } };
    await settle(send("identify", call, onPage(trustedKey, "https://portal.example")));
    expect(await sender.user({ anonymous_id: "portal-1" })).toMatchObject({
      external_id: "known",
      email: "known@example.com",
    });
  });

  test("it works from its domains and apps alone", async () => {
    const call = { anonymousId: "visitor", event: "Opened" };
    const app = (namespace: string) => ({ ...call, context: { app: { namespace } } });
    const statusOf = async (answer: Promise<LightMyRequestResponse>) => (await answer).statusCode;
    expect(await statusOf(send("track", call, onPage(pageKey)))).toBe(200);
    expect(await statusOf(send("track", call, onPage(pageKey, "https://evil.example")))).toBe(403);
    expect(await statusOf(send("track", call, onPage(pageKey, "null")))).toBe(403);
    expect(await statusOf(send("track", call, basic(pageKey)))).toBe(403);
    expect(await statusOf(send("track", app("com.acme.shop"), basic(pageKey)))).toBe(200);
    expect(await statusOf(send("track", app("com.evil"), basic(pageKey)))).toBe(403);
  });

  test("a call that is sent again counts once, and visitors share no key for that", async () => {
    const call = { anonymousId: "twice", event: "Opened twice", messageId: "m1" };
    const withKey = { ...onPage(pageKey), "idempotency-key": "guessed" };
    await settle(send("track", call, withKey));
    await settle(send("track", { ...call, sentAt: "2026-01-01T10:05:00Z" }, withKey));
    await settle(send("track", { ...call, anonymousId: "other" }, withKey));
    expect(await sender.events({ event: "Opened twice" })).toHaveLength(2);
  });

  test("an address cannot send more than its share, however the calls are wrapped", async () => {
    await withTestServer({ BROWSER_RECORDS_PER_MINUTE: "1" }, async (limited) => {
      const payload = { kind: "page", name: "Site", domains: ["*.acme.example"] };
      const url = `/api/v1/${limited.first.connector.id}/write_keys`;
      const created = await limited.app.inject({ method: "POST", url, headers: limited.operatorHeaders, payload });
      const headers = onPage(created.json<{ key: string }>().key);
      const wrapped = { batch: [], anonymousId: "a1", event: "Opened" };
      const statuses: number[] = [];
      for (let count = 0; count < 25; count++) {
        const answer = await limited.app.inject({ method: "POST", url: "/v1/track", headers, payload: wrapped });
        statuses.push(answer.statusCode);
      }
      expect(statuses).toContain(429);
    });
  });

  test("pages may ask first, and read the answer", async () => {
    const preflight = await server.app.inject({
      method: "OPTIONS",
      url: "/v1/t",
      headers: {
        origin: SITE,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    });
    expect([preflight.statusCode, preflight.headers]).toMatchObject([
      204,
      { "access-control-allow-origin": "*", "access-control-allow-headers": expect.stringContaining("authorization") },
    ]);
    const refused = await send("t", "{}", onPage("wkp_00000000000000000000000000000000"));
    expect([refused.statusCode, refused.headers["access-control-allow-origin"]]).toEqual([401, "*"]);
  });

  test("analytics.js gets settings that lead it here, and none for a server key", async () => {
    const settings = await server.app.inject({ url: `/v1/projects/${pageKey}/settings`, headers: { origin: SITE } });
    expect(settings.headers["access-control-allow-origin"]).toBe("*");
    const { host } = new URL(server.url);
    expect(settings.json()).toMatchObject({
      integrations: { "Segment.io": { apiKey: pageKey, apiHost: `${host}/v1`, protocol: "http" } },
      metrics: { sampleRate: 0 },
    });
    for (const key of [serverKey, "no"]) {
      expect((await server.app.inject({ url: `/v1/projects/${key}/settings` })).statusCode).toBe(404);
    }
  });

  test("figures that libraries send about themselves are dropped", async () => {
    expect((await send("m", { series: [] }, {})).statusCode).toBe(200);
  });
});

test("a key writes for its own organization alone, and reads nothing", async () => {
  const globex = await openOrganization(server, "globex");
  // A connector has a server key from its creation on, and sees it.
  const [{ key } = { key: null }] = (await globex.call("GET", "/app/write_keys")).json<WriteKey[]>();
  const answer = await send("identify", { userId: "u1", traits: { plan: "other" } }, basic(key ?? ""));
  await globex.waitFor(answer.json<{ position: string }>().position);
  expect(await globex.user({ external_id: "u1" })).toMatchObject({ traits_plan: "other" });
  expect(await sender.user({ external_id: "u1" })).not.toHaveProperty("traits_plan");
  for (const path of ["/api/v1/users", "/api/v1/connectors", "/api/v1/app/write_keys"]) {
    const read = await server.app.inject({ url: path, headers: basic(serverKey) });
    expect([path, read.statusCode]).not.toEqual([path, 200]);
  }
});

test("keys of a disabled connector are refused", async () => {
  const created = await sender.call("POST", "/connectors", {
    payload: { name: "Off" },
    headers: server.operatorHeaders,
  });
  const { id } = created.json<{ id: string }>();
  const key = await keyOf({ kind: "server", name: "Key" }, id);
  await server.app.inject({
    method: "PUT",
    url: `/api/v1/${id}`,
    headers: server.operatorHeaders,
    payload: { enabled: false },
  });
  const answer = await send("track", { userId: "u1", event: "Ordered" }, basic(key));
  expect([answer.statusCode, answer.json()]).toMatchObject([403, { error: { code: "connector_disabled" } }]);
});
