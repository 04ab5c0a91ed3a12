import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { WorkLeases } from "../../storage/postgres/leases/work-leases.js";
import { ConnectorApp, smartManifest } from "../../testing/connector-app.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let muster: TestServer;
let sender: Sender;
let app: ConnectorApp;
let connectorId: string;

beforeAll(async () => {
  muster = await openTestServer({ DELIVERY_RETRY_MS: "20" });
  await muster.listen();
  sender = new Sender(muster);
  app = await ConnectorApp.open(
    smartManifest({
      subscriptions: [{ url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } }],
    }),
  );
  connectorId = (await app.install(muster)).id;
});
afterAll(async () => {
  await muster.close();
  await app.close();
});

async function change(externalId: string): Promise<void> {
  await sender.send([sender.traits({ user: { external_id: externalId } }, { a: 1 })]);
}

const idsSent = () => app.userMessages.map(({ user }) => user.external_id);

test("deliveries go on after all connections were lost", async () => {
  await change("before");
  await app.until(() => idsSent().includes("before"));
  const { rows } = await muster.database.query(
    `select pg_terminate_backend(pid)
     from pg_stat_activity
     where application_name like 'muster%' and datname = current_database() and pid <> pg_backend_pid()`,
  );
  expect(rows.length).toBeGreaterThan(0);
  await change("after");
  await app.until(() => idsSent().includes("after"));
});

test("a connector that was removed is not called any more", async () => {
  const headers = muster.operatorHeaders;
  // The connections to the database were just lost, so the first attempt may be refused.
  await vi.waitFor(async () => {
    const removed = await muster.app.inject({ method: "DELETE", url: `/api/v1/${connectorId}`, headers });
    expect([removed.statusCode, removed.body]).toEqual([200, expect.any(String)]);
  });
  const before = app.calls.length;
  const second = await app.install(muster);
  await change("other");
  await app.until(() => idsSent().includes("other"));
  expect(app.calls.slice(before).map(({ body }) => (body.connector as { id: string }).id)).toEqual([second.id]);
});

test("a removed connector whose loop could not be ended is looked at again, without another change", async () => {
  const other = await ConnectorApp.open(smartManifest());
  const { id } = await other.install(muster);
  await change("seen");
  await other.until(() => other.userMessages.length > 0);
  const { release: releaseNow } = WorkLeases.prototype;
  let released = 0;
  const release = vi.spyOn(WorkLeases.prototype, "release").mockImplementation(function (this: WorkLeases, ...work) {
    // Locks on other work are released too, such as that of the connector that was removed before.
    if (work[0].includes(id) && ++released === 1) return Promise.reject(new Error("The connection is lost."));
    return releaseNow.apply(this, work);
  });
  const removed = await muster.app.inject({ method: "DELETE", url: `/api/v1/${id}`, headers: muster.operatorHeaders });
  expect([removed.statusCode, removed.body]).toEqual([200, expect.any(String)]);
  await vi.waitFor(() => expect(released).toBeGreaterThanOrEqual(2), { timeout: 30_000 });
  release.mockRestore();
  await other.close();
});
