import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startWebServer } from "../../../../../testing/start-web-server.js";
import { readBatch } from "../../storage/postgres/delivery/outbox.js";
import { runJob } from "../../testing/bulk.js";
import { ConnectorApp, smartManifest } from "../../testing/connector-app.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let muster: TestServer;
let sender: Sender;
let app: ConnectorApp;

// The server does not listen, so nothing is delivered and the tests can read the queue.
beforeAll(async () => {
  muster = await openTestServer({ ALLOW_PRIVATE_NETWORK: "true" });
  sender = new Sender(muster);
});
afterAll(async () => {
  await muster.close();
  await app.close();
});

/** The external ids of the users in the queue of the connector, in order. */
async function queued(): Promise<unknown[]> {
  const organizationId = muster.first.organization.id;
  const { rows } = await muster.database.query<{ batch_id: number; chosen: number[] }>(
    "select batch_id, chosen from outbox where channel = 'user:update' order by position",
  );
  const told = await Promise.all(
    rows.map(async ({ batch_id, chosen }) => {
      const { messages } = await readBatch(muster.database, organizationId, batch_id);
      return chosen
        .map((place) => messages[place])
        .map((message) => message?.kind === "user" && message.entity.external_id);
    }),
  );
  return told.flat();
}

test("without a subscribed connector nothing is written", async () => {
  app = await ConnectorApp.open(smartManifest());
  await sender.settle([sender.traits({ user: { external_id: "unheard" } }, { a: 1 })]);
  const { rows } = await muster.database.query<{ written: number }>(
    "select (select count(*) from message_batches) + (select count(*) from notify_cursors) as written",
  );
  expect(rows[0]?.written).toBe(0);
});

test("a step that is repeated after a crash queues every message once", async () => {
  await app.install(muster);
  await sender.settle([sender.traits({ user: { external_id: "first" } }, { a: 1 })]);
  expect(await queued()).toEqual(["first"]);
  // As if the process had died after it queued the messages and before it saved the project cursor.
  await muster.database.query("update project_cursors set sequence = sequence - 1");
  await sender.settle([sender.traits({ user: { external_id: "second" } }, { a: 1 })]);
  expect(await queued()).toEqual(["first", "second"]);
});

test("messages do not wait for the question engine, and are queued once when it fails", async () => {
  let queuedBefore: unknown[] = [];
  const writing = vi.spyOn(muster.questions, "writeChanges").mockImplementationOnce(async () => {
    await vi.waitFor(async () => {
      queuedBefore = await queued();
      expect(queuedBefore).toContain("early");
    }, 10_000);
    throw new Error("The engine failed.");
  });
  await sender.settle([sender.traits({ user: { external_id: "early" } }, { a: 1 })]);
  writing.mockRestore();
  expect(queuedBefore).toEqual(["first", "second", "early"]);
  expect(await queued()).toEqual(queuedBefore);
});

test("a message that goes to several connectors is stored once", async () => {
  const other = await ConnectorApp.open(smartManifest());
  await other.install(muster);
  const count = async () =>
    (await muster.database.query<{ batches: number }>("select count(*) as batches from message_batches")).rows[0]!
      .batches;
  const before = await count();
  await sender.settle([sender.traits({ user: { external_id: "shared" } }, { a: 1 })]);
  expect(await count()).toBe(before + 1);
  expect(await queued()).toEqual(["first", "second", "early", "shared", "shared"]);
  await other.close();
});

test("connectors are notified of an import only when the import asks for it", async () => {
  const names = ["hushed", "announced"];
  const files = await startWebServer((request, response) => response.end(`{"external_id":"${request.url?.slice(1)}"}`));
  const before = await queued();
  for (const name of names) {
    const url = `${files.url}/${name}`;
    const job = await runJob(muster, "/import/users", { url, format: "json", notify: name === "announced" });
    expect(job.status).toBe("completed");
  }
  // Two connectors are subscribed.
  expect((await queued()).slice(before.length)).toEqual(["announced", "announced"]);
  await files.close();
});
