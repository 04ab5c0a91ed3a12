import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE } from "../testing/bulk.js";
import { everythingStored } from "../testing/everything-stored.js";
import { openOrganization, Sender } from "../testing/sender.js";
import { signInAs } from "../testing/signed-in.js";
import { createTestDatabase } from "../testing/test-database.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";
import { deleteOrganizations } from "./delete-organizations.js";

const ann = { user: { external_id: "ann", email: "ann@example.com" }, account: { domain: "acme.example" } };

let server: TestServer;
let environment: Record<string, string>;
/** The one that is deleted, and one that stays. */
let acme: Sender;
let globex: Sender;
let acmeId: string;
let globexId: string;
let download: string;
let token: string;

beforeAll(async () => {
  environment = {
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: await mkdtemp(join(tmpdir(), "muster-test-")),
    REQUEST_TIMEOUT_MS: "600000",
  };
  server = await openTestServer(environment);
  acme = await openOrganization(server, "acme");
  globex = await openOrganization(server, "globex");
  acmeId = await acme.organizationId();
  globexId = await globex.organizationId();
  download = await fill(acme);
  await fill(globex);
  token = acme.token({ user: ann.user });
});
afterAll(async () => {
  await server.close();
  await rm(environment.DATA_DIR ?? "", { recursive: true, force: true });
});

/** Puts something into as many places as possible. Returns the address of a file. */
async function fill(sender: Sender): Promise<string> {
  const segment = { name: "All", query: {}, predicate: {} };
  expect((await sender.call("POST", "/users_segments", { payload: segment })).statusCode).toBe(201);
  await sender.settle([
    sender.traits(ann, { plan: "pro" }),
    sender.track(ann, "Opened", { event_id: "1" }),
    sender.traits({ user: { external_id: "bob" }, create: false }, { plan: "free" }),
    sender.traits({ user: { email: "cat@example.com" } }, {}),
    sender.traits({ user: { external_id: "cat", email: "cat@example.com" } }, {}),
  ]);
  const user = await sender.user(ann.user);
  await sender.call("PUT", `/${user.id}`, { payload: { is_admin: true } });
  await sender.call("POST", `/${user.id}/comments`, { payload: { text: "x" } });
  await sender.call("POST", "/app/entities", { payload: { uid: "1" } });
  await sender.call("POST", "/app/logs", { payload: { message: "x" } });
  await sender.call("POST", "/users/login", { payload: { access_token: sender.token({ user: ann.user }) } });
  const upload = (await sender.call("POST", "/uploads", { payload: {} })).json<{ id: string; url: string }>();
  await sender.call("POST", "/import/users", {
    payload: { url: upload.url, format: "json", schedule_at: new Date(Date.now() + 3_600_000).toISOString() },
  });
  const payload = { url: null, format: "csv", query: {} };
  const { id } = (await sender.call("POST", "/extract/users", { payload })).json<{ id: string }>();
  const job = await vi.waitUntil(async () => {
    const found = (await sender.call("GET", `/${id}`)).json<{ status: string; download_url: string }>();
    return found.status === "completed" ? found : undefined;
  }, PATIENCE);
  const { pathname, search } = new URL(job.download_url);
  return pathname + search;
}

function operator(method: "GET" | "POST" | "PUT" | "DELETE", path: string, payload?: object) {
  const headers = server.operatorHeaders;
  return server.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

/** The tables, and the files by name or content, that hold an id. */
async function placesWith(id: string): Promise<string[]> {
  const stored = await everythingStored(server);
  return [...new Set(stored.filter(({ where, text }) => `${where} ${text}`.includes(id)).map(({ where }) => where))];
}

/** Without that of work that a process has taken, which changes all the time, and figures, which are written seconds later. */
async function tablesWith(id: string): Promise<string[]> {
  const changing = (place: string) => place === "work_claims" || place.endsWith("_figures");
  return (await placesWith(id)).filter((place) => !place.includes(sep) && !changing(place)).sort();
}

const namespaces = async (query = "") =>
  (await operator("GET", `/organizations${query}`)).json().map(({ namespace }: { namespace: string }) => namespace);

test("an organization is deleted only when its namespace confirms it", async () => {
  for (const [query, code] of [
    ["", "missing_parameters"],
    ["?confirm=globex", "invalid_parameter"],
    [`?confirm=${acmeId}`, "invalid_parameter"],
  ]) {
    const answer = await operator("DELETE", `/${acmeId}${query}`);
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, code]);
    expect(answer.json().message).toContain("confirm=acme");
  }
  expect((await acme.call("DELETE", `/${acmeId}?confirm=acme`)).statusCode).toBe(403);
  const first = await operator("DELETE", `/${server.first.organization.id}?confirm=default`);
  expect([first.statusCode, first.json().error.code]).toEqual([409, "conflict"]);
  expect(await namespaces()).toEqual(["default", "acme", "globex"]);
  expect((await acme.call("GET", "/app")).statusCode).toBe(200);
});

test("a deleted organization is gone for everybody at once, and its namespace can be used again", async () => {
  const answer = await operator("DELETE", `/${acmeId}?confirm=acme`);
  expect([answer.statusCode, answer.json()]).toMatchObject([
    200,
    { id: acmeId, namespace: "acme", enabled: false, status: "deleting" },
  ]);
  expect((await acme.call("GET", "/app")).statusCode).toBe(401);
  expect((await acme.post([acme.traits(ann, {})])).statusCode).toBe(401);
  expect((await server.app.inject({ url: "/api/v1/me", headers: { "svc-access-token": token } })).statusCode).toBe(401);
  const named = { ...server.operatorHeaders, "svc-organization": "acme" };
  expect((await server.app.inject({ url: "/api/v1/connectors", headers: named })).statusCode).toBe(401);
  expect((await server.app.inject(download)).statusCode).toBe(404);
  expect((await operator("GET", `/${acmeId}`)).statusCode).toBe(404);
  expect((await operator("PUT", `/${acmeId}`, { enabled: true })).statusCode).toBe(404);
  expect((await operator("DELETE", `/${acmeId}?confirm=acme`)).statusCode).toBe(404);
  expect(await namespaces()).toEqual(["default", "globex"]);
  expect(await namespaces("?deleting=true")).toEqual(["acme"]);
  const again = await operator("POST", "/organizations", { namespace: "acme" });
  expect(again.statusCode).toBe(201);
  expect(again.json().id).not.toBe(acmeId);
});

test("the removal of its data goes on after a restart in the middle of it", async () => {
  const untouched = await tablesWith(globexId);
  expect(untouched.length).toBeGreaterThan(20);
  expect(await tablesWith(acmeId)).toEqual(untouched);
  expect((await placesWith(acmeId)).filter((place) => place.includes(sep)).length).toBeGreaterThanOrEqual(3);
  const stop = new AbortController();
  const database = {
    ...server.database,
    query: (text: string, values?: unknown[]) => {
      if (text.includes("delete from attribute_definitions")) stop.abort();
      return server.database.query(text, values);
    },
  } as typeof server.database;
  const logger = pino({ level: "silent" });
  const { log, questions } = server;
  const options = { database, log, questions, logger, settleMs: 0, removeFiles: async () => {} };
  await deleteOrganizations(options, stop.signal);
  const left = await tablesWith(acmeId);
  expect(left).toContain("users");
  expect(left).not.toContain("accounts");

  await server.close();
  server = await openTestServer(environment);
  // As if the settling time were over.
  await server.database.query("update organizations set deleted_at = now() - interval '1 hour' where id = $1", [
    acmeId,
  ]);
  // The audit log of the default organization, for which the operator called, tells who has deleted the other one.
  await vi.waitFor(async () => expect(await placesWith(acmeId)).toEqual(["audit_log"]), PATIENCE);
  const { rows } = await server.database.query("select from audit_log where organization_id = $1", [acmeId]);
  expect(rows).toEqual([]);
  expect(await namespaces("?deleting=true")).toEqual([]);
  expect(await tablesWith(globexId)).toEqual(untouched);
  expect(await new Sender(server, credentialsOf(globex)).user(ann.user)).toMatchObject({ traits_plan: "pro" });
});

function credentialsOf(sender: Sender) {
  const {
    "Svc-App-Id": id = "",
    "Svc-Access-Token": secret = "",
    "Svc-Organization": organization = "",
  } = sender.headers;
  return { id, secret, organization };
}

test("members go with their last organization, and those of other organizations stay", async () => {
  const { id } = (await operator("POST", "/organizations", { namespace: "leaving" })).json<{ id: string }>();
  await signInAs(server, "owner", { email: "only@example.com", organization: "leaving" });
  const { id: both } = await signInAs(server, "editor", { email: "both@example.com", organization: "leaving" });
  await server.database.query("insert into member_roles (organization_id, member_id, role) values ($1, $2, 'viewer')", [
    globexId,
    both,
  ]);
  await operator("DELETE", `/${id}?confirm=leaving`);
  const options = { ...server, logger: pino({ level: "silent" }), removeFiles: async () => {}, settleMs: 0 };
  await deleteOrganizations(options, new AbortController().signal);
  const { rows } = await server.database.query<{ email: string }>(
    "select email from members where email in ('only@example.com', 'both@example.com')",
  );
  expect(rows).toEqual([{ email: "both@example.com" }]);
  const { rows: sessions } = await server.database.query("select from member_sessions where member_id = $1", [both]);
  expect(sessions).toHaveLength(1);
});

test("an organization is not removed while work that was under way may still write", async () => {
  const { id } = (await operator("POST", "/organizations", { namespace: "young" })).json<{ id: string }>();
  await operator("DELETE", `/${id}?confirm=young`);
  const options = { ...server, logger: pino({ level: "silent" }), removeFiles: async () => {} };
  await deleteOrganizations({ ...options, settleMs: 3_600_000 }, new AbortController().signal);
  expect(await namespaces("?deleting=true")).toContain("young");
  await deleteOrganizations({ ...options, settleMs: 0 }, new AbortController().signal);
  expect(await namespaces("?deleting=true")).not.toContain("young");
});

test("an organization is not removed while a request from before its deletion may still arrive", async () => {
  for (const [namespace, age] of [
    ["waits", "5 minutes"],
    ["goes", "1 hour"],
  ]) {
    const { id } = (await operator("POST", "/organizations", { namespace })).json<{ id: string }>();
    await operator("DELETE", `/${id}?confirm=${namespace}`);
    await server.database.query("update organizations set deleted_at = now() - $2::interval where id = $1", [id, age]);
  }
  await vi.waitFor(async () => expect(await namespaces("?deleting=true")).not.toContain("goes"), PATIENCE);
  expect(await namespaces("?deleting=true")).toContain("waits");
});
