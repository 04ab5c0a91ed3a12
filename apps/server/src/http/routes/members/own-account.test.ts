import { expect, test, vi } from "vitest";
import { PATIENCE } from "../../../testing/bulk.js";
import { PASSWORD, signInAs, tokenOf } from "../../../testing/signed-in.js";
import { withTestServer } from "../../../testing/test-server.js";

test("a change that has begun when the sessions of the member end changes nothing", async () => {
  await withTestServer({}, async (server) => {
    const post = (path: string, payload: object, headers = {}) =>
      server.app.inject({ method: "POST", url: `/api/v1${path}`, payload, headers });
    await post("/organizations", { namespace: "squatters" }, server.operatorHeaders);
    const email = "chosen@example.com";
    const squatter = await signInAs(server, "owner", { email, organization: "squatters" });
    const waiting = async (count: number) => {
      const { rowCount } = await server.database.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rowCount === count;
    };

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
});
