import { SEGMENT_EVENTS } from "@muster/protocol";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ConnectorDirectory } from "../connectors/connector-directory.js";
import type { StoredUpdate } from "../domain/delivery/message.js";
import type { Entry } from "../domain/entries/entry.js";
import { createMetrics } from "../runtime/measures/metrics.js";
import { createVault } from "../runtime/secrets/vault.js";
import { PostgresLog } from "../storage/ingest-log/postgres/postgres-log.js";
import { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import { type Database, openDatabase } from "../storage/postgres/database.js";
import { readBatch } from "../storage/postgres/delivery/outbox.js";
import { organizationsWithWork } from "../storage/postgres/ingest/apply-cursors.js";
import { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import { WakeUps } from "../storage/postgres/wake-ups.js";
import { ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { findAll } from "../testing/find-all.js";
import { openIdleServer } from "../testing/idle-server.js";
import { Sender } from "../testing/sender.js";
import { createTestDatabase } from "../testing/test-database.js";
import type { TestServer } from "../testing/test-server.js";
import { createContextReaders } from "./apply/context-readers.js";
import { Pipeline } from "./pipeline.js";
import { Stages } from "./stages.js";

// The server only accepts. Two pipelines of the test do the work, each with connections of its own, on one database and
// one question engine. Connections of theirs are ended at random, those that hold their leases too.
const SECRET_KEY = "5".repeat(64);
let server: TestServer;
let sender: Sender;
let app: ConnectorApp;
let url: string;
let organizationId: string;

beforeAll(async () => {
  url = await createTestDatabase();
  server = await openIdleServer({
    ALLOW_PRIVATE_NETWORK: "true",
    DATABASE_URL: url,
    SECRET_KEY,
  });
  sender = new Sender(server);
  organizationId = server.first.organization.id;
  app = await ConnectorApp.open(smartManifest());
  await app.install(server);
  await noteStepsBack("apply_cursors", "position");
  await noteStepsBack("project_cursors", "sequence");
  await noteStepsBack("notify_cursors", "sequence");
});
afterAll(async () => {
  await server.close();
  await app.close();
});

/** Makes PostgreSQL note every cursor that moves back. */
async function noteStepsBack(table: string, column: string): Promise<void> {
  await server.database.query(`create table if not exists steps_back (cursor_table text, before bigint, after bigint)`);
  await server.database.query(
    `create function note_${table}() returns trigger language plpgsql as $$
     begin
       if new.${column} < old.${column} then
         insert into steps_back values ('${table}', old.${column}, new.${column});
       end if;
       return new;
     end $$`,
  );
  await server.database.query(
    `create trigger note_steps_back after update on ${table} for each row execute function note_${table}()`,
  );
}

interface Worker {
  pipeline: Pipeline;
  stop(): Promise<void>;
}

/** A pipeline with its own connections, which carry `name`. */
async function startWorker(name: string): Promise<Worker> {
  const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
  const database: Database = openDatabase({ ...quiet, url: `${url}&application_name=${name}`, maxConnections: 6 });
  const logger = pino({ level: "silent" });
  const directory = new ConnectorDirectory({
    store: new ConnectorStore(database, createVault(SECRET_KEY)),
    database,
    logger,
  });
  await directory.refresh();
  const { questions } = server;
  const wakeUps = new WakeUps({ database, logger });
  await wakeUps.start();
  const leases = new WorkLeases({ database, logger, wakeUps, place: name });
  await leases.start();
  const metrics = createMetrics();
  const rules = {
    readers: createContextReaders(undefined),
    hash: (text: string) => text,
    maxAttributes: 2_000,
    maxValueBytes: 65_536,
    mergesPerDay: 100,
    maxAnonymousIds: 100,
    maxSubjectBytes: 1_000_000,
    maxEntities: 100,
    attributesChanged: "attributes_changed",
    newNames: { perOrganization: 0, perVisitor: 0 },
  };
  const log = new PostgresLog(database);
  const pipeline = new Pipeline({
    database,
    log,
    questions,
    wakeUps,
    metrics,
    logger,
    accept: {
      admission: { admit: () => Promise.reject(new Error("These pipelines get no gateway batches.")) },
      maxBacklogEntries: 1_000_000,
      disk: undefined,
    },
    waitLimitMs: 60_000,
    openWork: (events) =>
      new Stages({
        database,
        log,
        questions,
        leases,
        wakeUps,
        metrics,
        lags: { add() {} },
        logger,
        apply: { rules, bulkEvery: 4 },
        notify: { directory, onQueued: () => {} },
        events,
      }),
  });
  await pipeline.start();
  return {
    pipeline,
    async stop() {
      await pipeline.stop();
      await leases.close();
      await wakeUps.close();
      await database.close();
    },
  };
}

/** Ends a random share of the connections of the workers. */
async function endConnections(share: number): Promise<void> {
  await server.database.query(
    `select pg_terminate_backend(pid)
     from pg_stat_activity
     where datname = current_database() and application_name like 'worker-%' and random() < $1`,
    [share],
  );
}

/** Calls `work` until it succeeds: the connections that it uses may be ended meanwhile. */
async function insist<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

async function queuedUpdates(): Promise<StoredUpdate[]> {
  const { rows } = await server.database.query<{ batch_id: number; chosen: number[] }>(
    "select batch_id, chosen from outbox where channel = 'user:update' order by position",
  );
  const updates: StoredUpdate[] = [];
  for (const { batch_id, chosen } of rows) {
    const { messages } = await readBatch(server.database, organizationId, batch_id);
    for (const place of chosen) {
      const message = messages[place];
      if (message?.kind === "user") updates.push(message);
    }
  }
  return updates;
}

const USERS = 6;
// Without the lease, the first rounds alone, in which no connection ends, show a change that is told twice.
const QUIET_ROUNDS = 60;
const ROUNDS = 100;

function entry(index: number, round: number): Entry {
  return {
    type: "traits",
    at: Date.now(),
    connectorId: server.first.connector.id,
    subject: "user",
    user: { external_id: `user-${index}` },
    create: true,
    active: false,
    body: { round, odd: round % 2 === 1, total: { value: 1, operation: "inc" } },
  };
}

test("two workers whose connections end at random tell each change once, and no cursor moves back", async () => {
  const answer = await sender.call("POST", "/users_segments", {
    payload: { name: "Odd", query: { term: { traits_odd: true } }, predicate: {} },
  });
  expect(answer.statusCode).toBe(201);
  const segmentId = answer.json<{ id: string }>().id;
  let workers = await Promise.all(["worker-a", "worker-b"].map(startWorker));
  for (let round = 1; round <= ROUNDS; round++) {
    const entries = Array.from({ length: USERS }, (_, index) => entry(index, round));
    const accepting = workers.map(async ({ pipeline }, turn) => {
      const half = entries.filter((_, index) => index % workers.length === turn);
      // The key lets a batch be sent again whose answer was lost.
      const options = { idempotencyKey: `${round} ${turn}` };
      await insist(() => pipeline.intake.acceptEntries(organizationId, half[0]!.connectorId, half, options));
      pipeline.sweepSoon(organizationId);
    });
    await Promise.all(accepting);
    if (round > QUIET_ROUNDS && round % 8 === 0) await endConnections(Math.random());
    if (round > QUIET_ROUNDS && round % 10 === 0) {
      const [first, ...others] = workers;
      await first!.stop();
      workers = [...others, await startWorker(`worker-${round}`)];
    }
  }
  await vi.waitFor(
    async () => expect(await organizationsWithWork(server.database)).toEqual({ apply: [], project: [] }),
    { timeout: 60_000, interval: 50 },
  );
  for (const worker of workers) await worker.stop();

  const { rows: stepsBack } = await server.database.query("select * from steps_back");
  expect(stepsBack).toEqual([]);
  const updates = await queuedUpdates();
  const found = await findAll(server, organizationId, "user");
  expect(found.map(({ report }) => [report.traits_round, report.traits_total])).toEqual(
    Array.from({ length: USERS }, () => [ROUNDS, ROUNDS]),
  );
  const events = await findAll(server, organizationId, "event");
  for (const { id } of found) {
    const told = updates.filter(({ entity }) => entity.id === id);
    // Each message goes on from the value that the one before it ended with: nothing is told twice, nothing is left out.
    const chain = told.flatMap(({ changes }) => {
      const change = changes.attributes.traits_round;
      return change ? [change] : [];
    });
    expect(chain.map(([from]) => from)).toEqual([null, ...chain.slice(0, -1).map(([, to]) => to)]);
    expect(chain.at(-1)?.[1]).toBe(ROUNDS);
    // Entering and leaving alternate.
    const moves = told.flatMap(({ changes }) => [
      ...changes.segments.entered.map(() => "entered"),
      ...changes.segments.left.map(() => "left"),
    ]);
    expect(moves).toEqual(moves.map((_, index) => (index % 2 === 0 ? "entered" : "left")));
    const count = (event: string) =>
      events.filter(({ report }) => report.user_id === id && report.event === event).length;
    // In the end nobody is a member, so everybody has left as often as entered.
    expect(count(SEGMENT_EVENTS.entered)).toBe(count(SEGMENT_EVENTS.left));
  }
  const members = await server.questions.segmentSizes(organizationId, [segmentId]);
  expect(members.get(segmentId) ?? 0).toBe(0);
}, 120_000);
