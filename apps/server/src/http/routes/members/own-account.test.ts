import type { Session } from "@muster/protocol/api/members";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { proveEmail } from "../../../storage/postgres/members/members.js";
import { PATIENCE } from "../../../testing/bulk.js";
import { invite, PASSWORD, signInAs, tokenOf } from "../../../testing/signed-in.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
  for (const namespace of ["squatters", "third", "fourth"]) {
    await post("/organizations", { namespace }, server.operatorHeaders);
  }
});
afterAll(() => server.close());

test("a change that has begun when the sessions of the member end changes nothing", async () => {
  const email = "first@example.com";
  const squatter = await signInAs(server, "owner", { email, organization: "squatters" });

  const { link, change } = await server.database.transaction(async (tx) => {
    await tx.query("select from members where id = $1 for update", [squatter.id]);
    // It ends the sessions of a member whose address was never proved.
    const link = post("/sign_in_links", { email, as_owner: true }, server.operatorHeaders);
    await vi.waitUntil(() => waiting(1), PATIENCE);
    const payload = { password: "a password of a squatter", current_password: PASSWORD };
    const { headers } = squatter;
    const change = server.app.inject({ method: "PUT", url: "/api/v1/session/me", headers, payload });
    await vi.waitUntil(() => waiting(2), PATIENCE);
    return { link, change };
  });
  const made = await link;
  expect([made.statusCode, (await change).statusCode]).toEqual([201, 401]);
  expect((await post("/session", { email, password: "a password of a squatter" })).statusCode).toBe(401);
  const token = tokenOf(made.json<{ url: string }>().url);
  expect((await post("/session/link", { token })).json()).toMatchObject({ member: { has_password: false } });
});

test("a sign-in or an acceptance that has begun before the holder of the address comes opens no session", async () => {
  const email = "chosen@example.com";
  const squatter = await signInAs(server, "owner", { email, organization: "squatters" });
  const third = tokenOf(await invite(server, "owner", { email, organization: "third" }));
  const fourth = tokenOf(await invite(server, "owner", { email, organization: "fourth" }));

  const { link, late } = await server.database.transaction(async (tx) => {
    await tx.query("select from members where id = $1 for update", [squatter.id]);
    const link = post("/sign_in_links", { email, as_owner: true }, server.operatorHeaders);
    await vi.waitUntil(() => waiting(1), PATIENCE);
    const late = [
      post("/session", { email, password: PASSWORD }),
      post("/invitations/accept", { token: third, password: PASSWORD }),
      post("/invitations/accept", { token: fourth }, squatter.headers),
    ];
    await vi.waitUntil(() => waiting(4), PATIENCE);
    return { link, late };
  });
  const made = await link;
  expect((await Promise.all(late)).map(({ statusCode }) => statusCode)).toEqual([401, 401, 401]);
  const { rows } = await server.database.query("select from member_sessions where member_id = $1", [squatter.id]);
  expect(rows).toEqual([]);
  const holder = await post("/session/link", { token: tokenOf(made.json<{ url: string }>().url) });
  const namespaces = holder.json<Session>().organizations.map(({ namespace }) => namespace);
  expect(namespaces).toEqual(["default", "squatters"]);
});

test("a new member with an address that is proved meanwhile is not made", async () => {
  const email = "holder@example.com";
  const holder = await signInAs(server, "editor", { email });
  const token = tokenOf(await invite(server, "owner", { email, organization: "third" }));
  const accepted = await server.database.transaction(async (tx) => {
    await proveEmail(tx, holder.id, email);
    const accepting = post("/invitations/accept", { token, name: "Stranger", password: "a password of a stranger" });
    await vi.waitUntil(() => waiting(1), PATIENCE);
    return { accepting };
  });
  expect((await accepted.accepting).statusCode).toBe(401);
  expect((await post("/invitations/preview", { token })).json()).toMatchObject({ is_member: true });
});

function post(path: string, payload: object, headers: Record<string, string> = {}) {
  return server.app.inject({ method: "POST", url: `/api/v1${path}`, payload, headers });
}

/** Whether so many connections wait for a lock. */
async function waiting(count: number): Promise<boolean> {
  const { rowCount } = await server.database.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount === count;
}
