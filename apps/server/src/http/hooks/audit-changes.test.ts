import { afterAll, beforeAll, expect, test } from "vitest";
import { compress } from "../../storage/logs/compression.js";
import { ConnectorApp, smartManifest } from "../../testing/connector-app.js";
import { everythingStored } from "../../testing/everything-stored.js";
import { Sender } from "../../testing/sender.js";
import { PASSWORD, type SignedIn, signInAs } from "../../testing/signed-in.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let owner: SignedIn;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  owner = await signInAs(server, "owner");
  sender = new Sender(server);
});
afterAll(() => server.close());

const MESSAGE = { message_id: "m", kind: "notice", entity_id: "u", body: {} };

const REQUEST = { url: "https://app.example", notification_id: "n", messages: 1, sent_at: new Date().toISOString() };

type Method = "POST" | "PUT" | "DELETE";
interface Entry {
  who: string;
  member_id: string | null;
  action: string;
  object_id: string | null;
  object_type: string | null;
  label: string | null;
  before: unknown;
  after: unknown;
}

async function change(method: Method, path: string, payload?: object, headers = owner.headers) {
  const body = payload ? { payload } : {};
  const answer = await server.app.inject({ method, url: `/api/v1${path}`, headers, ...body });
  expect([answer.statusCode < 300, answer.body]).toEqual([true, expect.any(String)]);
  return answer.json<Record<string, string>>();
}

async function entries(query = ""): Promise<Entry[]> {
  const answer = await server.app.inject({ url: `/api/v1/audit?per_page=1000&${query}`, headers: owner.headers });
  return answer.json<Entry[]>();
}

test("a change of an object is told with who made it, and with the fields that differ", async () => {
  const { id } = await change("POST", "/users_segments", { name: "Buyers", query: { match_all: {} }, predicate: {} });
  await change("PUT", `/${id}`, { name: "Customers" });
  await change("DELETE", `/${id}`);
  const [removed, renamed, created] = await entries(`object_id=${id}`);
  expect(renamed).toMatchObject({
    who: "The owner <owner@example.com>",
    member_id: owner.id,
    action: "PUT /api/v1/:id",
    object_type: "users_segment",
    label: "Buyers",
    before: { name: "Buyers" },
    after: { name: "Customers" },
  });
  expect(removed).toMatchObject({ action: "DELETE /api/v1/:id", before: { name: "Customers" }, after: null });
  expect(created).toMatchObject({ action: "POST /api/v1/users_segments", label: "Buyers", after: { name: "Buyers" } });
});

test("the operator with the admin token is told too, reading and refused changes are not", async () => {
  const before = (await entries()).length;
  await change("POST", "/platforms", { name: "Site" }, server.operatorHeaders);
  const search = { query: { match_all: {} }, raw: true, page: 1, per_page: 1, sort: {} };
  await server.app.inject({
    method: "POST",
    url: "/api/v1/search/user_reports",
    headers: owner.headers,
    payload: search,
  });
  await server.app.inject({ method: "POST", url: "/api/v1/platforms", headers: owner.headers, payload: {} });
  const all = await entries();
  expect(all).toHaveLength(before + 1);
  expect(all[0]).toMatchObject({ who: "operator", member_id: null, action: "POST /api/v1/platforms", label: "Site" });
});

test("secrets are masked, and so are credentials in addresses", async () => {
  const { id } = server.first.connector;
  await change(
    "PUT",
    `/${id}`,
    { private_settings: { api_key: "very-secret-1", other: "very-secret-2" } },
    sender.headers,
  );
  await change("PUT", `/${id}`, { settings: { color: "red" } });
  const other = await change("POST", "/connectors", { name: "Other" });
  await change("POST", `/${other.id}/secret`, {});
  await change("POST", "/import/users", {
    url: "https://user:very-secret-3@files.example/users.json?sig=very-secret-4",
    format: "json",
    schedule_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const stored = await everythingStored(server);
  const log = stored.filter(({ where }) => where === "audit_log").map(({ text }) => text);
  expect(log.join()).not.toMatch(/very-secret|correct horse|scrypt/);
  expect(log.join()).toContain("https://files.example/users.json?********");
  expect(log.join()).not.toContain(PASSWORD);
});

test("a change of a user is told without data of the user", async () => {
  const who = { user: { email: "personal@example.com" } };
  await sender.settle([sender.traits(who, { name: "Personal" })]);
  const { id } = await sender.user(who.user);
  await change("PUT", `/${id}`, { is_admin: true });
  await change("POST", `/${id}/comments`, { text: "Personal is ill" });
  await change("DELETE", `/${id}`);
  const found = await entries(`object_id=${id}`);
  expect(found.map(({ action }) => action)).toEqual([
    "DELETE /api/v1/:id",
    "POST /api/v1/:id/comments",
    "PUT /api/v1/:id",
  ]);
  expect(JSON.stringify(found)).not.toMatch(/personal/i);
});

test("a record that is applied again is told without what is in it", async () => {
  const user = { email: "mended@example.com" };
  await sender.settle([sender.traits({ user }, { born_at: "long ago" })]);
  const [rejected] = await sender.rejected();
  await change("POST", `/ingestion/rejected/${rejected?.id}/retry`, { body: { nickname: "Mended" } });
  await change("POST", "/ingestion/rejected/retry", { text: "mended@example.com" });
  await change("POST", "/ingestion/rejected/discard", { text: "mended@example.com" });
  const found = (await entries()).filter(({ action }) => action.includes("/ingestion/rejected"));
  expect(found).toHaveLength(3);
  expect(JSON.stringify(found)).not.toMatch(/mended/i);
});

test("what people write into entries, messages and logs is not told", async () => {
  const user = { external_id: "mended" };
  await sender.settle([sender.traits({ user }, { height: 180 })]);
  await sender.settle([sender.traits({ user }, { height: "tall" })]);
  const [rejected] = await sender.rejected();
  await change("POST", `/ingestion/rejected/${rejected?.id}/retry`, { body: { nickname: "confidential-1" } });
  await change("POST", `/${server.first.connector.id}/logs`, { message: "confidential-2" });
  const { rows } = await server.database.query<{ id: number }>(
    `insert into dead_letters
       (organization_id, connector_id, url, channel, kind, object_id, message, request, reason, attempts)
     values ($1, $2, '/', 'user:update', 'user', 'u', $3, $4, '', 1)
     returning id`,
    [server.first.organization.id, server.first.connector.id, compress(MESSAGE), REQUEST],
  );
  const letter = rows[0]?.id;
  const edited = await change("PUT", `/dead_letters/${letter}`, {
    message: { ...MESSAGE, body: { note: "confidential-3" } },
  });
  expect(edited.edited_by).toBe("The owner <owner@example.com>");
  const found = await entries();
  expect(found.slice(0, 3).map(({ action, object_id, after }) => [action, object_id, after])).toEqual([
    ["PUT /api/v1/dead_letters/:id", String(letter), null],
    ["POST /api/v1/:id/logs", server.first.connector.id, null],
    ["POST /api/v1/ingestion/rejected/:id/retry", String(rejected?.id), null],
  ]);
});

test("a new role is told with the member and both roles", async () => {
  const ann = await signInAs(server, "viewer", { email: "ann@example.com" });
  await change("PUT", `/members/${ann.id}`, { role: "editor" });
  const [entry] = await entries(`object_id=${ann.id}`);
  expect(entry).toMatchObject({
    object_type: "member",
    label: "The viewer <ann@example.com>",
    before: { role: "viewer" },
    after: { role: "editor" },
  });
  const mine = await entries(`member_id=${owner.id}&from=${new Date(Date.now() + 60_000).toISOString()}`);
  expect(mine).toEqual([]);
});

test("what has no id of its own is told by its name, from what to what", async () => {
  const last = async () => (await entries())[0];
  await change("PUT", "/settings/user_traits/mrr", { type: "numeric", label: "Revenue" });
  await change("PUT", "/settings/user_traits/mrr", { label: "Monthly revenue" });
  expect(await last()).toMatchObject({
    action: "PUT /api/v1/settings/user_traits/*",
    label: "mrr",
    before: { label: "Revenue" },
    after: { label: "Monthly revenue" },
  });

  const question = { trend: { series: [{}], interval: "day" } };
  const insight = await change("POST", "/insights", { name: "Traffic", question });
  await change("PUT", `/insights/${insight.id}`, { name: "Visits" });
  expect(await last()).toMatchObject({ label: "Traffic", before: { name: "Traffic" }, after: { name: "Visits" } });
  await change("DELETE", `/insights/${insight.id}`);
  expect(await last()).toMatchObject({ action: "DELETE /api/v1/insights/:id", label: "Visits" });

  const view = await change("POST", "/views", { name: "Mine", target: "user" });
  await change("PUT", `/views/${view.id}`, { search: "ada" });
  expect(await last()).toMatchObject({ label: "Mine", before: { search: "" }, after: { search: "ada" } });
  await change("DELETE", `/views/${view.id}`);
  expect(await last()).toMatchObject({ action: "DELETE /api/v1/views/:id", label: "Mine" });

  const compute = { count: { event: "Visited" } };
  const visits = await change("POST", "/computed_attributes", { target: "user", name: "visits", compute });
  await change("PUT", `/computed_attributes/${visits.id}`, { description: "All of them" });
  expect(await last()).toMatchObject({
    action: "PUT /api/v1/computed_attributes/:id",
    label: "visits",
    after: { description: "All of them" },
  });
  await change("DELETE", `/computed_attributes/${visits.id}?values=keep`);
  expect(await last()).toMatchObject({ action: "DELETE /api/v1/computed_attributes/:id", label: "visits" });

  await change("PUT", "/purposes/marketing", { description: "Letters" });
  await change("PUT", "/purposes/marketing", { description: "Letters and calls" });
  expect(await last()).toMatchObject({
    label: "marketing",
    before: { description: "Letters" },
    after: { description: "Letters and calls" },
  });
  await change("DELETE", "/purposes/marketing");
  expect(await last()).toMatchObject({ action: "DELETE /api/v1/purposes/:name", label: "marketing" });
});

test("a connector that is installed is told with the name in its manifest", async () => {
  const app = await ConnectorApp.open(smartManifest({ name: "Mailer" }));
  const { id } = await app.install(server);
  const [entry] = await entries(`object_id=${id}`);
  expect(entry).toMatchObject({ action: "POST /api/v1/connectors/install", object_type: "connector", label: "Mailer" });
  await app.close();
});

test("a change counts also when the audit log cannot be written", async () => {
  await server.database.query("alter table audit_log rename to audit_log_away");
  const { id } = await change("POST", "/platforms", { name: "Unaudited" });
  await server.database.query("alter table audit_log_away rename to audit_log");
  expect((await server.app.inject({ url: `/api/v1/${id}`, headers: owner.headers })).statusCode).toBe(200);
});
