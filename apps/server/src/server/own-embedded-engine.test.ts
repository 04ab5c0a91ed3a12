import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { Pipeline } from "../pipeline/pipeline.js";
import { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import { WakeUps } from "../storage/postgres/wake-ups.js";
import { createTestDatabase, openQuietly } from "../testing/test-database.js";
import { withTestServer } from "../testing/test-server.js";
import { ownEmbeddedEngine } from "./own-embedded-engine.js";

const logger = pino({ level: "silent" });

async function openLeases(url: string) {
  const database = openQuietly(url);
  const wakeUps = new WakeUps({ database, logger });
  await wakeUps.start();
  const leases = new WorkLeases({ database, logger, wakeUps, place: "test" });
  await leases.start();
  return {
    leases,
    async close() {
      await leases.close();
      await wakeUps.close();
      await database.close();
    },
  };
}

test("a second server with an embedded question engine on the same database is refused in words, until the first stops", async () => {
  const url = await createTestDatabase();
  const { leases, close } = await openLeases(url);
  await withTestServer({ DATABASE_URL: url }, async () => {
    await expect(ownEmbeddedEngine(leases, logger, 50)).rejects.toThrow(
      "Another server works on the database of DATABASE_URL with its own embedded question engine.",
    );
  });
  const giveBack = await ownEmbeddedEngine(leases, logger, 50);
  await giveBack();
  await close();
});

test("a server that only accepts may run beside it", async () => {
  const url = await createTestDatabase();
  await withTestServer({ DATABASE_URL: url }, async (first) => {
    await first.database.query("delete from connectors");
    await first.database.query("delete from organizations");
    await withTestServer({ DATABASE_URL: url, ROLES: "gateway" }, async (second) => {
      expect((await second.app.inject("/readyz")).statusCode).toBe(200);
    });
  });
});

test("a server that stops keeps the embedded question engine for itself until its pipeline has stopped", async () => {
  const url = await createTestDatabase();
  const { leases, close } = await openLeases(url);
  const { stop } = Pipeline.prototype;
  let outcome = "";
  const stopping = vi.spyOn(Pipeline.prototype, "stop").mockImplementation(async function (this: Pipeline) {
    const giveBack = await ownEmbeddedEngine(leases, logger, 50).catch(() => undefined);
    outcome = giveBack ? "taken" : "refused";
    await giveBack?.();
    await stop.call(this);
  });
  await withTestServer({ DATABASE_URL: url }, async () => {});
  expect(outcome).toBe("refused");
  stopping.mockRestore();
  await close();
});
