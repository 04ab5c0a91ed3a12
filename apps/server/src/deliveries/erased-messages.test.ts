import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { LeaseLost } from "../storage/postgres/leases/lease-lost.js";
import { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import { PATIENCE } from "../testing/bulk.js";
import { ConnectorApp, NEXT, smartManifest } from "../testing/connector-app.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer({ DELIVERY_RETRY_MS: "20", DELIVERY_ATTEMPTS: "1" });
  await server.listen();
  sender = new Sender(server);
});
afterAll(() => server.close());

const update = (id: string, payload: object) =>
  server.app.inject({ method: "PUT", url: `/api/v1/${id}`, headers: server.operatorHeaders, payload });

test("a message that waits in a queue when its user is erased is not sent, and those around it are", async () => {
  const app = await ConnectorApp.open(smartManifest());
  const { id } = await app.install(server);
  await update(id, { enabled: false, when_disabled: "hold" });
  const names = ["first", "gone", "last"];
  await sender.settle(names.map((name) => sender.traits({ user: { external_id: name } }, { note: `about ${name}` })));
  await sender.settle([sender.entry("incinerate", { user: { external_id: "gone" } }, {})]);
  await update(id, { enabled: true });
  await app.until(({ notifications }) => notifications.some(({ channel }) => channel === "user:delete"));
  expect(app.userMessages.map(({ user }) => user.external_id)).toEqual(["first", "last"]);
  expect(JSON.stringify(app.calls)).not.toContain("about gone");
  await vi.waitFor(async () => {
    const { rows } = await server.database.query("select from outbox where connector_id = $1", [id]);
    expect(rows).toEqual([]);
  }, PATIENCE);
  await app.close();
});

test("a message whose user is erased during the call does not become a dead letter", async () => {
  const app = await ConnectorApp.open(smartManifest());
  const { id } = await app.install(server);
  let answer: (() => void) | undefined;
  app.respond = async (call, response) => {
    if (call.body.channel !== "user:update" || !call.text.includes("fleeting")) return NEXT;
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    response.writeHead(400).end("refused");
    return undefined;
  };
  const user = { external_id: "fleeting" };
  await sender.send([sender.traits({ user }, {})]);
  await vi.waitUntil(() => answer, PATIENCE);
  await sender.settle([sender.entry("incinerate", { user }, {})]);
  answer?.();
  await app.until(({ notifications }) => notifications.some(({ channel }) => channel === "user:delete"));
  const { rows } = await server.database.query("select from dead_letters where connector_id = $1", [id]);
  expect(rows).toEqual([]);
  await app.close();
});

test("a message whose user is erased during the call is not kept, nor are those that were sent with it", async () => {
  const app = await ConnectorApp.open(smartManifest());
  const { id } = await app.install(server);
  let answer: (() => void) | undefined;
  app.respond = async (call, _) => {
    if (!call.text.includes("ephemeral")) return NEXT;
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return NEXT;
  };
  const user = { external_id: "ephemeral" };
  await sender.send([sender.traits({ user }, {})]);
  await vi.waitUntil(() => answer, PATIENCE);
  await sender.settle([sender.entry("incinerate", { user }, {})]);
  app.respond = () => NEXT;
  answer?.();
  await sender.send([sender.traits({ user: { external_id: "lasting" } }, {})]);
  // Kept messages are written in the order in which they were sent.
  const kept = await vi.waitUntil(async () => {
    const { rows } = await server.database.query<{ request: string }>(
      "select request from kept_messages where connector_id = $1",
      [id],
    );
    return rows.some(({ request }) => request.includes("lasting")) ? rows : undefined;
  }, PATIENCE);
  expect(JSON.stringify(kept)).not.toContain("ephemeral");
  await app.close();
});

test("a process whose queue another process has taken over does not move on past an erased message", async () => {
  const subscription = { url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } };
  const app = await ConnectorApp.open(smartManifest({ subscriptions: [subscription] }));
  let isTakenOver = false;
  const confirm = vi.fn(async () => {
    if (isTakenOver) throw new LeaseLost("queue");
  });
  const { take } = WorkLeases.prototype;
  const taking = vi.spyOn(WorkLeases.prototype, "take").mockImplementation(async function (this: WorkLeases, ...work) {
    const lease = await take.apply(this, work);
    return lease && work[0].startsWith("deliver") ? { ...lease, confirm } : lease;
  });
  const { id } = await app.install(server);
  await update(id, { enabled: false, when_disabled: "hold" });
  const user = { external_id: "passing" };
  await sender.settle([sender.traits({ user }, { note: 1 })]);
  await sender.settle([sender.entry("incinerate", { user }, {})]);
  const queued = async () =>
    (await server.database.query("select position, sent from outbox where connector_id = $1 order by 1", [id])).rows;
  await vi.waitFor(async () => expect(await queued()).toHaveLength(1), PATIENCE);
  const before = await queued();
  isTakenOver = true;
  await update(id, { enabled: true });
  await vi.waitFor(() => expect(confirm).toHaveBeenCalled(), PATIENCE);
  expect(await queued()).toEqual(before);
  isTakenOver = false;
  await vi.waitFor(async () => expect(await queued()).toEqual([]), PATIENCE);
  taking.mockRestore();
  await app.close();
});
