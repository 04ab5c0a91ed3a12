import { afterAll, beforeAll, expect, test } from "vitest";
import { readChangeHead, readNextChanges } from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import { LeaseLost } from "../../storage/postgres/leases/lease-lost.js";
import { openIdleServer } from "../../testing/idle-server.js";
import { applySome, startJourney, UNDISPUTED } from "../../testing/own-journey.js";
import { openOrganization, type Sender } from "../../testing/sender.js";
import type { TestServer } from "../../testing/test-server.js";

// No stage runs in the background: the test makes the steps itself.
let server: TestServer;
beforeAll(async () => {
  server = await openIdleServer();
});
afterAll(() => server.close());

const ALL = { changes: 100, bytes: Number.MAX_SAFE_INTEGER };

/** PostgreSQL ends the transactions that append to the change log, as it does when they have computed for too long. */
function endingTransactions(): { database: Database; next: number } {
  const control = { next: 0, database: server.database };
  control.database = {
    ...server.database,
    transaction: (work, options) =>
      server.database.transaction((tx) => {
        const query: typeof tx.query = async (text, values) => {
          if (control.next > 0 && text.includes("insert into changes")) {
            control.next -= 1;
            const { rows } = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
            await server.database.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
          }
          return tx.query(text, values);
        };
        return work({ ...tx, query });
      }, options),
  };
  return control;
}

async function openWorld(name: string): Promise<{ id: string; sender: Sender; sizes: () => Promise<number[]> }> {
  const sender = await openOrganization(server, name);
  const { id } = (await sender.call("GET", "/org")).json<{ id: string }>();
  let seen = await readChangeHead(server.database, id);
  const sizes = async () => {
    const changes = await readNextChanges(server.database, id, seen, ALL);
    seen = changes.at(-1)?.sequence ?? seen;
    return changes.map(({ change }) => change.users.length);
  };
  return { id, sender, sizes };
}

const names = Array.from({ length: 800 }, (_, index) => `user${index}`);

test("a micro-batch whose transaction was ended is tried again with fewer entries, and then with more", async () => {
  const { id, sender, sizes } = await openWorld("entries");
  const ending = endingTransactions();
  const journey = startJourney(server, { database: ending.database });
  await sender.send(names.map((user) => sender.traits({ user: { external_id: user } }, { plan: "pro" })));

  ending.next = 2;
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(journey.apply(id, UNDISPUTED)).rejects.toMatchObject({ code: "unavailable" });
  }
  const lost = { ...UNDISPUTED, confirm: () => Promise.reject(new LeaseLost("apply")) };
  await expect(journey.apply(id, lost)).rejects.toBeInstanceOf(LeaseLost);
  while ((await journey.apply(id, UNDISPUTED)) !== "idle");
  expect(await sizes()).toEqual([250, 375, 175]);
});

test("a page of computed values whose transaction was ended is tried again with fewer users", async () => {
  const { id, sender, sizes } = await openWorld("values");
  const payload = { target: "user", name: "orders", compute: { count: { event: "Order" } } };
  expect((await sender.call("POST", "/computed_attributes", { payload })).statusCode).toBe(201);
  const ending = endingTransactions();
  const journey = startJourney(server, { database: ending.database });
  journey.requestSweep(id);
  while ((await journey.relay(id, UNDISPUTED)) === "worked");
  await sender.send(names.map((user) => sender.track({ user: { external_id: user } }, "Order")));
  while (await applySome(server, id, 1_000));
  await journey.relay(id, UNDISPUTED);
  await sizes();

  ending.next = 1;
  await expect(journey.relay(id, UNDISPUTED)).rejects.toMatchObject({ code: "unavailable" });
  while ((await journey.relay(id, UNDISPUTED)) === "worked");
  expect(await sizes()).toEqual([500, 300]);
  expect(await sender.user({ external_id: "user799" })).toMatchObject({ traits_orders: 1 });
});
