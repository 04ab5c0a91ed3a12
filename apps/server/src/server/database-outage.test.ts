import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { openDatabaseProxy } from "../testing/database-proxy.js";
import { Sender } from "../testing/sender.js";
import { createTestDatabase } from "../testing/test-database.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const PATIENTLY = { timeout: 30_000, interval: 50 };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(environment: Record<string, string>): Promise<{ server: TestServer; sender: Sender }> {
  const server = await openTestServer(environment);
  closing.push(() => server.close());
  return { server, sender: new Sender(server) };
}

async function expectUnavailable(server: TestServer, sender: Sender): Promise<void> {
  const ready = await server.app.inject("/readyz");
  expect([ready.statusCode, ready.json().message]).toEqual([503, "PostgreSQL does not answer."]);
  const answers = [
    await sender.post([sender.traits({ user: { external_id: "lost" } }, { name: "Lost" })]),
    await sender.call("GET", "/org"),
    await sender.callAs({ user: { external_id: "1" } }, "POST", "/t", { payload: { event: "Lost" } }),
  ];
  for (const answer of answers) {
    expect([answer.statusCode, answer.json().error]).toMatchObject([503, { code: "unavailable" }]);
    expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
  }
  expect((await server.app.inject("/healthz")).statusCode).toBe(200);
}

async function postmasterPid({ dataDir }: TestServer): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);
}

const ready = (server: TestServer) =>
  vi.waitFor(async () => expect((await server.app.inject("/readyz")).statusCode).toBe(200), PATIENTLY);

/** Sends users until the outage is over. Returns the external ids of those that the server has acknowledged. */
function keepSending(sender: Sender) {
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  let isOver = false;
  const sending = (async () => {
    for (let number = 0; !isOver; number++) {
      const id = `u${number}`;
      const answer = await sender.post([sender.traits({ user: { external_id: id } }, { number })]);
      statuses.add(answer.statusCode);
      if (answer.statusCode === 200) acknowledged.push(id);
    }
  })();
  closing.push(async () => {
    isOver = true;
    await sending;
  });
  return {
    /** Waits until a request was refused, and others after it were accepted. */
    async untilSomeMore(): Promise<void> {
      statuses.clear();
      await vi.waitFor(() => expect(statuses).toContain(503), PATIENTLY);
      const before = acknowledged.length;
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 5), PATIENTLY);
    },
    async stop(): Promise<string[]> {
      isOver = true;
      await sending;
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      return acknowledged;
    },
  };
}

async function expectKnown(sender: Sender, externalIds: string[]): Promise<void> {
  expect(externalIds.length).toBeGreaterThan(0);
  await sender.settle([sender.traits({ user: { external_id: "after" } }, { name: "After" })]);
  const query = { terms: { external_id: externalIds } };
  const answer = await sender.call("POST", "/search/user_reports", { payload: { query, per_page: 1 } });
  expect(answer.json().pagination.total).toBe(externalIds.length);
}

test("while a database by URL is away, requests are refused with 503, and all goes on when it returns", async () => {
  const proxy = await openDatabaseProxy(await createTestDatabase());
  closing.push(() => proxy.close());
  const { server, sender } = await open({ DATABASE_URL: proxy.url });
  await sender.settle([sender.traits({ user: { external_id: "1" } }, { name: "Ada" })]);

  const sending = keepSending(sender);
  await proxy.stop();
  await expectUnavailable(server, sender);
  await proxy.resume();
  await ready(server);
  const acknowledged = await sending.stop();
  await expectKnown(sender, ["1", ...acknowledged]);
}, 60_000);

test("an embedded PostgreSQL that is killed is started again, and nothing that was acknowledged is lost", async () => {
  const { server, sender } = await open({ DATABASE_URL: "" });
  await sender.settle([sender.traits({ user: { external_id: "1" } }, { name: "Ada" })]);
  const pid = await postmasterPid(server);
  const { rows } = await server.database.query<{ pid: number }>(
    "select pid from pg_stat_activity where application_name = 'muster' order by pid limit 1",
  );

  const sending = keepSending(sender);
  process.kill(rows[0]?.pid ?? 0, "SIGKILL");
  await sending.untilSomeMore();
  process.kill(pid, "SIGKILL");
  await sending.untilSomeMore();
  await ready(server);
  expect(await postmasterPid(server)).not.toBe(pid);
  const acknowledged = await sending.stop();
  await expectKnown(sender, ["1", ...acknowledged]);
}, 60_000);
