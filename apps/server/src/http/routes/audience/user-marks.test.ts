import { createId } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { placesOf } from "../../../testing/everything-stored.js";
import { openOrganization, Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

const UNMARKED = { is_admin: false, approved: true, settings: { notifications: {} } };

async function known(external_id: string): Promise<string> {
  await sender.settle([sender.traits({ user: { external_id } }, {})]);
  return (await sender.user({ external_id })).id;
}

const put = (id: string, payload: object) => sender.call("PUT", `/${id}`, { payload });

test("the scope of a token does not make its user an admin", async () => {
  await known("scoped");
  const who = { user: { external_id: "scoped" }, claims: { scopes: ["admin"] } };
  expect((await sender.callAs(who, "GET", "/me")).json()).toMatchObject(UNMARKED);
});

test("a connector sets marks of a user, and every record of the user has them", async () => {
  const id = await known("marked");
  const user = { external_id: "marked" };
  const first = await put(id, { is_admin: true });
  expect([first.statusCode, first.json()]).toMatchObject([200, { id, ...UNMARKED, is_admin: true }]);
  const settings = { notifications: { weekly: false, channels: ["mail"] } };
  expect((await put(id, { approved: false, settings })).json()).toMatchObject({
    is_admin: true,
    approved: false,
    settings,
  });
  const marks = { is_admin: true, approved: false, settings };
  expect(await sender.object(id)).toMatchObject(marks);
  expect((await sender.callAs({ user }, "GET", "/me")).json()).toMatchObject(marks);
  const login = {
    method: "POST",
    url: "/api/v1/users/login",
    payload: { access_token: sender.token({ user }) },
  } as const;
  expect((await server.app.inject(login)).json()).toMatchObject(marks);
  expect((await sender.call("POST", `/${id}`, { payload: { is_admin: false } })).json()).toMatchObject({
    ...marks,
    is_admin: false,
  });
  expect((await put(id, { settings: { notifications: {} } })).json()).toMatchObject({
    settings: { notifications: {} },
  });
});

test("the operator sets marks too, and the user of another organization keeps its own", async () => {
  const id = await known("by-operator");
  const stranger = await openOrganization(server, "globex");
  const url = `/api/v1/${id}`;
  const headers = server.operatorHeaders;
  const answer = await server.app.inject({ method: "PUT", url, headers, payload: { is_admin: true } });
  expect(answer.json()).toMatchObject({ is_admin: true });
  expect((await stranger.call("PUT", `/${id}`, { payload: { is_admin: false } })).statusCode).toBe(404);
  expect(await sender.object(id)).toMatchObject({ is_admin: true });
});

test("an end user sets no marks, of itself or of others", async () => {
  const id = await known("end-user");
  const other = await known("somebody-else");
  for (const path of [`/${id}`, `/${other}`]) {
    for (const method of ["PUT", "POST"] as const) {
      const who = { user: { external_id: "end-user" } };
      const answer = await sender.callAs(who, method, path, { payload: { is_admin: true, approved: false } });
      expect([answer.statusCode, path]).toEqual([403, path]);
    }
  }
  const written = await sender.callAs({ user: { external_id: "end-user" } }, "PUT", "/me/traits", {
    payload: { is_admin: true, approved: false },
  });
  await sender.waitFor(written.json().position);
  for (const one of [id, other]) expect(await sender.object(one)).toMatchObject(UNMARKED);
});

test.each([
  ["an attribute beside a mark", { is_admin: true, name: "Ann" }, /traits/],
  ["a text as is_admin", { is_admin: "true" }, /is_admin/],
  ["null as approved", { approved: null }, /approved/],
  ["settings without notifications", { settings: {} }, /settings/],
  ["other settings", { settings: { notifications: {}, theme: "dark" } }, /settings/],
  ["a list of notifications", { settings: { notifications: [] } }, /settings/],
  ["too large settings", { settings: { notifications: { x: "ä".repeat(4_200) } } }, /8192 bytes/],
])("%s is refused, and nothing changes", async (_name, payload, message) => {
  const id = await known("refused");
  const answer = await put(id, payload);
  expect([answer.statusCode, answer.json().error.code]).toEqual([400, "invalid_parameter"]);
  expect(answer.json().message).toMatch(message);
  expect(await sender.object(id)).toMatchObject(UNMARKED);
});

test("an update without marks is 405, and one of an unknown user 404", async () => {
  const id = await known("no-marks");
  for (const payload of [{}, { name: "Ann" }, { traits_plan: "pro" }]) {
    const answer = await put(id, payload);
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, "GET, DELETE"]);
  }
  expect((await put(createId("user"), { is_admin: true })).statusCode).toBe(404);
});

test("a merge makes nobody an admin and approves nobody, until an admin decides again", async () => {
  await sender.settle([sender.traits({ user: { email: "merged@example.com" } }, {})]);
  const { id: loser } = await sender.user({ email: "merged@example.com" });
  await put(loser, { is_admin: true, approved: false, settings: { notifications: { mail: false, push: true } } });
  const survivor = await known("survivor");
  await put(survivor, { settings: { notifications: { mail: true } } });
  const both = { external_id: "survivor", email: "merged@example.com" };
  await sender.settle([sender.traits({ user: both }, {})]);
  expect(await sender.object(loser)).toMatchObject({
    id: survivor,
    is_admin: false,
    approved: false,
    settings: { notifications: { mail: true, push: true } },
  });
  const decided = await put(loser, { is_admin: true, approved: true });
  expect(decided.json()).toMatchObject({ id: survivor, is_admin: true, approved: true });
  expect(await sender.object(survivor)).toMatchObject({ settings: { notifications: { mail: true, push: true } } });
});

test("an erasure removes the marks, also those of users who were merged", async () => {
  await sender.settle([sender.traits({ user: { email: "gone@example.com" } }, {})]);
  const { id: loser } = await sender.user({ email: "gone@example.com" });
  await put(loser, { settings: { notifications: { note: "remembers-the-gone" } } });
  const id = await known("gone");
  await put(id, { settings: { notifications: { note: "remembers-the-gone" } } });
  await sender.settle([sender.traits({ user: { external_id: "gone", email: "gone@example.com" } }, {})]);
  expect(await placesOf(server, "remembers-the-gone")).toEqual(["user_marks"]);
  const answer = await sender.call("DELETE", `/${id}`);
  expect(answer.json()).toMatchObject({ receipt: { removed: { marks: 2 } } });
  expect(await placesOf(server, "remembers-the-gone")).toEqual([]);
  expect((await put(id, { is_admin: true })).statusCode).toBe(404);
});
