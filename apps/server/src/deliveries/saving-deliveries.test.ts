import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE } from "../testing/bulk.js";
import { type ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { DeliveryKit } from "../testing/delivery-kit.js";
import type { Sender } from "../testing/sender.js";
import type { TestServer } from "../testing/test-server.js";

const USERS = 6;
/** So few messages in a call that further calls are ready in memory. */
const TWO_AT_ONCE = { flow_control: { type: "next", size: 2, in: 0 } };
const ONLY_USERS = {
  subscriptions: [{ url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } }],
};

let kit: DeliveryKit;
let muster: TestServer;
let sender: Sender;
let app: ConnectorApp;

beforeAll(async () => {
  kit = await DeliveryKit.open();
  ({ muster, sender } = kit);
});
afterAll(() => kit.close());
afterEach(() => kit.removeConnectors());

/** Installs a connector that has taken one message, and holds some more of them in its queue. */
async function installedWithQueue(prefix: string): Promise<string> {
  const installed = await kit.install(smartManifest(ONLY_USERS), () => TWO_AT_ONCE);
  ({ app } = installed);
  await sender.send([sender.traits({ user: { external_id: `${prefix}-first` } }, {})]);
  await app.until(({ userMessages }) => userMessages.length === 1);
  await enable(installed.id, false);
  const users = Array.from({ length: USERS }, (_, index) => ({ external_id: `${prefix}-${index}` }));
  await sender.settle(users.map((user) => sender.traits({ user }, {})));
  return installed.id;
}

const enable = (id: string, enabled: boolean) => kit.operator("PUT", `/${id}`, { enabled, when_disabled: "hold" });

const received = () => app.userMessages.slice(1).map(({ user }) => user.external_id);
const expected = (prefix: string) => Array.from({ length: USERS }, (_, index) => `${prefix}-${index}`);

/** Holds up the save after the next call, while `work` runs with the process of PostgreSQL that waits. */
async function whileSaving(id: string, work: (backend: number) => Promise<void>): Promise<void> {
  await muster.database.transaction(async (tx) => {
    app.respond = async () => {
      app.respond = () => TWO_AT_ONCE;
      await tx.query("select from connectors where id = $1 for update", [id]);
      return TWO_AT_ONCE;
    };
    await enable(id, true);
    const backend = await vi.waitFor(async () => {
      const { rows } = await muster.database.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like 'with connector as %'`,
      );
      expect(rows).toHaveLength(1);
      return rows[0]!.pid;
    }, PATIENCE);
    await work(backend);
  });
}

test("the next call waits until it is saved what became of the last one", async () => {
  const id = await installedWithQueue("slow");
  await whileSaving(id, async () => {
    await sleep(200);
    expect(received()).toEqual(expected("slow").slice(0, 2));
  });
  await app.until(() => received().length >= USERS);
  expect(received()).toEqual(expected("slow"));
});

test("a call is prepared again when saving takes long, because somebody may have been erased since then", async () => {
  const id = await installedWithQueue("long");
  await whileSaving(id, async () => {
    await sender.settle([sender.entry("incinerate", { user: { external_id: "long-2" } }, {})]);
    await sleep(600);
  });
  await app.until(() => received().length >= USERS - 1);
  expect(received()).toEqual(expected("long").filter((name) => name !== "long-2"));
});

test("when it cannot be saved, the messages are sent again, and none is lost", async () => {
  const id = await installedWithQueue("failed");
  await whileSaving(id, async (backend) => {
    await muster.database.query("select pg_terminate_backend($1)", [backend]);
  });
  await app.until(() => received().length >= USERS + 2);
  expect(received()).toEqual([...expected("failed").slice(0, 2), ...expected("failed")]);
});
