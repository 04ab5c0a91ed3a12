import { createBrand, createId, type ObjectType } from "@muster/protocol";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTE_RULES } from "../../testing/route-rules.js";
import { openOrganization } from "../../testing/sender.js";
import { invite, type SignedIn, signInAs, signInByLink } from "../../testing/signed-in.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import type { Access } from "./caller.js";

const { headers: names } = createBrand("Svc");

let server: TestServer;
let viewer: SignedIn;
let editor: SignedIn;
let owner: SignedIn;
let stranger: SignedIn;
beforeAll(async () => {
  server = await openTestServer();
  await openOrganization(server, "globex");
  viewer = await signInAs(server, "viewer");
  editor = await signInAs(server, "editor");
  owner = await signInAs(server, "owner");
  stranger = await signInAs(server, "owner", { email: "stranger@example.com", organization: "globex" });
});
afterAll(() => server.close());

interface Route {
  name: string;
  access: Access;
  request: InjectOptions;
}

/** Every route that members can use, with ids of objects that do not exist. */
function routes(): Route[] {
  return Object.entries(ROUTE_RULES).flatMap(([name, row]) => {
    const [rule, type, body] = (typeof row === "string" ? [row] : row) as [Access | "owner", ObjectType?, object?];
    const access = rule === "owner" ? "connector" : rule;
    const [method = "", path = ""] = name.split(" ");
    if (["open", "anyone", "member"].includes(access) || !path.startsWith("/api/")) return [];
    const url = path.replace(/:\w+|\*$/g, createId(type ?? "comment"));
    const payload = ["POST", "PUT"].includes(method) ? { payload: body ?? {} } : {};
    return [{ name, access, request: { method: method as "GET", url, ...payload } }];
  });
}

async function statusOf(request: InjectOptions, headers: Record<string, string>): Promise<number> {
  return (await server.app.inject({ ...request, headers: { ...headers, ...request.headers } })).statusCode;
}

async function statuses(chosen: Route[], headers: Record<string, string>): Promise<[string, number][]> {
  const answers: [string, number][] = [];
  for (const { name, request } of chosen) answers.push([name, await statusOf(request, headers)]);
  return answers;
}

const isChange = ({ name }: Route) => !name.startsWith("GET ") && !server.app.declaredForMembers.reads.has(name);

const isServerWide = ({ name }: Route) => server.app.declaredForMembers.serverWide.has(name);

test("routes that read although they are no GET are POST, and some routes are about the whole server", () => {
  const { reads, serverWide } = server.app.declaredForMembers;
  expect([...reads].filter((name) => !name.startsWith("POST /api/v1/"))).toEqual([]);
  expect([...reads]).toContain("POST /api/v1/search/user_reports");
  expect([...serverWide]).toContain("POST /api/v1/sign_in_links");
});

describe("by the role in the organization,", () => {
  test("a viewer is refused on every route that changes something, and on no other", async () => {
    const changes = await statuses(routes().filter(isChange), viewer.headers);
    expect(changes.length).toBeGreaterThan(30);
    expect(changes.filter(([, status]) => status !== 403)).toEqual([]);
    const readable = routes().filter((route) => !isChange(route) && !isServerWide(route));
    const reads = await statuses(readable, viewer.headers);
    expect(reads.length).toBeGreaterThan(30);
    expect(reads.filter(([, status]) => [401, 403].includes(status))).toEqual([]);
  });

  test("an editor is refused on the routes of the operator that change something, and on no other route", async () => {
    const ofOwners = routes().filter((route) => isChange(route) && route.access === "operator");
    expect(ofOwners.length).toBeGreaterThan(10);
    expect((await statuses(ofOwners, editor.headers)).filter(([, status]) => status !== 403)).toEqual([]);
    const others = routes().filter((route) => route.access !== "operator");
    expect((await statuses(others, editor.headers)).filter(([, status]) => [401, 403].includes(status))).toEqual([]);
  });

  test("an owner is refused only on routes about the whole server", async () => {
    const [wide, others] = [routes().filter(isServerWide), routes().filter((route) => !isServerWide(route))];
    expect((await statuses(wide, owner.headers)).filter(([, status]) => status !== 403)).toEqual([]);
    expect((await statuses(others, owner.headers)).filter(([, status]) => [401, 403].includes(status))).toEqual([]);
  });

  test("a member who runs the server may use every route, in every organization", async () => {
    const { headers } = await signInByLink(server);
    const wide = routes().filter((route) => isServerWide(route) && route.name.startsWith("GET "));
    for (const organization of ["default", "globex"]) {
      const answers = await statuses(wide, { ...headers, [names.organization]: organization });
      expect(answers.filter(([, status]) => status !== 200)).toEqual([]);
    }
  });

  test("only owners see the secrets of a connector and change it", async () => {
    const url = `/api/v1/${server.first.connector.id}`;
    const { secret } = server.first.connector;
    for (const { headers } of [viewer, editor]) {
      for (const path of [url, "/api/v1/connectors", `/api/v1/connectors?per_page=1`]) {
        const answer = await server.app.inject({ url: path, headers });
        expect([answer.statusCode, answer.body.includes(secret)]).toEqual([200, false]);
        expect(answer.body).not.toContain("private_settings");
      }
      expect(await statusOf({ url: `${url}/pages` }, headers)).toBe(403);
      expect(await statusOf({ method: "PUT", url, payload: { enabled: true } }, headers)).toBe(403);
      expect(await statusOf({ method: "DELETE", url }, headers)).toBe(403);
    }
    expect((await server.app.inject({ url, headers: owner.headers })).json()).toMatchObject({ secret });
    expect(await statusOf({ method: "PUT", url, payload: { enabled: true } }, owner.headers)).toBe(200);
  });

  test("an owner may rename the organization, but not disable or delete it", async () => {
    const url = `/api/v1/${server.first.organization.id}`;
    const put = (payload: object) => ({ method: "PUT" as const, url, payload });
    expect(await statusOf(put({ name: "Default" }), editor.headers)).toBe(403);
    expect(await statusOf(put({ name: "Default" }), owner.headers)).toBe(200);
    expect(await statusOf(put({ name: "Default", enabled: false }), owner.headers)).toBe(403);
    expect(await statusOf({ method: "DELETE", url: `${url}?confirm=default` }, owner.headers)).toBe(403);
  });
});

test("a member of another organization is told on every route that there is no such organization", async () => {
  const answers = await statuses(routes(), { ...stranger.headers, [names.organization]: "default" });
  expect(answers.filter(([, status]) => status !== 404)).toEqual([]);
  const read = (organization: string) =>
    server.app.inject({ url: "/api/v1/org", headers: { ...stranger.headers, [names.organization]: organization } });
  const [there, nowhere] = [await read("default"), await read("nowhere")];
  expect(there.body.replaceAll("default", "nowhere")).toBe(nowhere.body);
});

describe("a request with the cookie of a session", () => {
  const url = () => `/api/v1/${server.first.connector.id}/comments`;
  const change = (headers: Record<string, string>) =>
    statusOf({ method: "POST", url: url(), payload: { text: "x" }, headers }, {});

  test("changes nothing without the CSRF token, or with that of another session", async () => {
    const { "x-csrf-token": _own, ...without } = editor.headers;
    expect(await change(without)).toBe(403);
    expect(await change({ ...without, "x-csrf-token": viewer.headers["x-csrf-token"] ?? "" })).toBe(403);
    expect(await change(editor.headers)).toBe(201);
  });

  test("changes nothing when a page of another website makes it", async () => {
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: "http://localhost:80" },
    ];
    for (const headers of foreign) {
      expect([headers, await change({ ...editor.headers, ...headers })]).toEqual([headers, 403]);
    }
    expect(await change({ ...editor.headers, host: "localhost:8080", origin: "http://localhost:8080" })).toBe(201);
    expect(await change({ ...editor.headers, "sec-fetch-site": "same-origin" })).toBe(201);
  });

  test("that has other credentials too is made with those", async () => {
    const headers = { ...editor.headers, ...server.connectorHeaders, [names.accessToken]: "wrong" };
    expect(await statusOf({ url: "/api/v1/connectors" }, headers)).toBe(401);
    expect(await statusOf({ url: "/api/v1/connectors" }, { ...editor.headers, authorization: "Bearer wrong" })).toBe(
      401,
    );
  });

  test("is the member's also when the browser sends a password for a proxy along", async () => {
    const headers = { ...viewer.headers, authorization: "Basic dXNlcjpwYXNz" };
    expect(await statusOf({ url: "/api/v1/connectors" }, headers)).toBe(200);
  });

  test("is made by nobody known on pages of platforms and at the gateway", async () => {
    const me = await server.app.inject({ url: "/api/v1/me", headers: owner.headers });
    expect([me.statusCode, me.json()]).toEqual([200, false]);
    expect(await statusOf({ method: "POST", url: "/firehose", payload: { batch: [] } }, owner.headers)).toBe(401);
  });

  test("is refused with a cookie that nobody was given", async () => {
    const headers = { ...viewer.headers, cookie: "muster_session=AAAA" };
    const answer = await server.app.inject({ url: "/api/v1/connectors", headers });
    expect([answer.statusCode, answer.json().message]).toEqual([401, "The session has ended: sign in again."]);
  });
});

describe("a change of a member counts at once:", () => {
  const isReader = async ({ headers }: SignedIn) => statusOf({ url: "/api/v1/connectors" }, headers);
  const isEditor = async ({ headers }: SignedIn) =>
    statusOf({ method: "POST", url: "/api/v1/uploads", payload: {} }, headers);

  test("a lower role", async () => {
    const ann = await signInAs(server, "editor", { email: "ann@example.com" });
    expect(await isEditor(ann)).toBe(201);
    const request = { method: "PUT" as const, url: `/api/v1/members/${ann.id}`, payload: { role: "viewer" } };
    expect(await statusOf(request, owner.headers)).toBe(200);
    expect([await isEditor(ann), await isReader(ann)]).toEqual([403, 200]);
  });

  test("the removal, which also ends the sessions of somebody who is nowhere else a member", async () => {
    const bob = await signInAs(server, "editor", { email: "bob@example.com" });
    expect(await statusOf({ method: "DELETE", url: `/api/v1/members/${bob.id}` }, owner.headers)).toBe(200);
    expect(await isReader(bob)).toBe(401);
    expect(await statusOf({ url: "/api/v1/session" }, bob.headers)).toBe(401);
  });

  test("a disabled organization refuses its members", async () => {
    await openOrganization(server, "closed");
    const eve = await signInAs(server, "owner", { email: "eve@example.com", organization: "closed" });
    const headers = { ...server.operatorHeaders, [names.organization]: "closed" };
    await server.app.inject({ method: "PUT", url: "/api/v1/org", headers, payload: { enabled: false } });
    expect(await isReader(eve)).toBe(402);
    expect(await statusOf({ url: "/api/v1/org" }, eve.headers)).toBe(402);
  });
});

test("the last owner of an organization can be neither removed nor given a lower role", async () => {
  await openOrganization(server, "single");
  const only = await signInAs(server, "owner", { email: "only@example.com", organization: "single" });
  const url = `/api/v1/members/${only.id}`;
  const lower = { method: "PUT" as const, url, payload: { role: "editor" } };
  expect(await statusOf({ method: "DELETE", url }, only.headers)).toBe(409);
  expect(await statusOf(lower, only.headers)).toBe(409);
  await signInAs(server, "owner", { email: "second@example.com", organization: "single" });
  expect(await statusOf(lower, only.headers)).toBe(200);
});

test("members and invitations of one organization are not found in another", async () => {
  const url = await invite(server, "viewer", { email: "invited@example.com" });
  expect(url).toMatch(/\/invitations\/[\w-]{43}$/);
  const list = await server.app.inject({ url: "/api/v1/invitations", headers: owner.headers });
  const [invitation] = list.json<{ id: string }[]>();
  for (const path of [`members/${viewer.id}`, `invitations/${invitation?.id}`]) {
    expect([path, await statusOf({ method: "DELETE", url: `/api/v1/${path}` }, stranger.headers)]).toEqual([path, 404]);
  }
  const seen = await server.app.inject({ url: "/api/v1/members", headers: stranger.headers });
  expect(seen.json().map(({ email }: { email: string }) => email)).toEqual(["stranger@example.com"]);
});
