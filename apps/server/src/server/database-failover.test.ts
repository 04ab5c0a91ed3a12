import { expect, onTestFinished, test, vi } from "vitest";
import { Sender } from "../testing/sender.js";
import { createTestDatabase, openQuietly } from "../testing/test-database.js";
import { openTestServer } from "../testing/test-server.js";

const PATIENTLY = { timeout: 60_000, interval: 50 };

test("while the server of a URL takes no writes and its connections are dropped, senders get 503, and all goes on afterwards", async () => {
  const url = await createTestDatabase();
  const admin = openQuietly(url);
  const server = await openTestServer({ DATABASE_URL: url });
  onTestFinished(async () => {
    await server.close();
    await admin.close();
  });
  const sender = new Sender(server);
  const acknowledged: string[] = [];
  const send = async (id: string) => {
    const answer = await sender.post([sender.traits({ user: { external_id: id } }, { name: id })]);
    if (answer.statusCode === 200) acknowledged.push(id);
    return answer;
  };
  await send("before");
  const { rows } = await admin.query<{ name: string }>("select current_database() as name");
  const name = rows[0]!.name;
  /** As a failover does it: every connection ends, and new ones lead to a server of another kind. */
  const become = async (setting: string) => {
    await admin.transaction(async (tx) => {
      await tx.query("set transaction read write");
      await tx.query(`alter database ${name} ${setting}`);
    });
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
  };
  await become("set default_transaction_read_only = on");
  await vi.waitFor(async () => {
    const answer = await send(`during ${acknowledged.length}`);
    expect([answer.statusCode, answer.json().error?.code]).toEqual([503, "unavailable"]);
    expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
  }, PATIENTLY);
  await admin.transaction(async (tx) => {
    await tx.query("set transaction read write");
    await tx.query(`alter database ${name} reset default_transaction_read_only`);
  });
  // No connection is dropped this time: the server gives up those that refuse writes.
  await vi.waitFor(async () => expect((await send("after")).statusCode).toBe(200), PATIENTLY);
  await vi.waitFor(async () => {
    const { position } = await sender.send([sender.traits({ user: { external_id: "last" } }, { name: "last" })]);
    const query = { terms: { external_id: acknowledged } };
    const answer = await sender.call("POST", "/search/user_reports", {
      payload: { query, per_page: 0 },
      headers: { "Svc-Wait-For": position },
    });
    expect(answer.json().pagination?.total).toBe(new Set(acknowledged).size);
  }, PATIENTLY);
}, 150_000);
