import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConnectorDirectory } from "../../connectors/connector-directory.js";
import { createMetrics } from "../../runtime/measures/metrics.js";
import { createVault } from "../../runtime/secrets/vault.js";
import { PostgresLog } from "../../storage/ingest-log/postgres/postgres-log.js";
import { ConnectorStore } from "../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../storage/postgres/database.js";
import { listDueSegments } from "../../storage/postgres/segments/segments.js";
import type { Questions } from "../../storage/questions/questions.js";
import { findAll } from "../../testing/find-all.js";
import { openIdleServer } from "../../testing/idle-server.js";
import { Sender } from "../../testing/sender.js";
import type { TestServer } from "../../testing/test-server.js";
import { applyNext } from "../apply/apply.js";
import { createContextReaders } from "../apply/context-readers.js";
import { BatchBuffer } from "../buffers/batch-buffer.js";
import { Journey } from "../journey.js";
import { SWEEP_PERIODS } from "./sweeps.js";

// No stage runs in the background: each test makes the steps itself, and lets them fail where it needs to.
let server: TestServer;
let sender: Sender;
let organizationId: string;
let count = 0;
let own: string;

beforeAll(async () => {
  server = await openIdleServer();
  sender = new Sender(server);
  organizationId = server.first.organization.id;
  await relayAll(start());
});

afterAll(() => server.close());

beforeEach(() => {
  own = `t${count++}`;
});

interface Broken {
  /** Fails before documents and events are written to the question engine. */
  changes?: "before";
  /** Fails before or after moves are written to the question engine. */
  moves?: "before" | "after";
  /** Fails at the statements that match. */
  database?: RegExp;
}

const UNDISPUTED = { isContinued: true, isValid: () => true, isLost: () => false, confirm: async () => {} };

/** A process that has just started, and that fails where `broken` says. */
function start(broken: Broken = {}): Journey {
  const { database, questions } = server;
  const die = () => {
    throw new Error("The process died.");
  };
  const fragileDatabase: Database = {
    ...database,
    async query(text, values) {
      if (broken.database?.test(text)) die();
      return database.query(text, values);
    },
    transaction: (work) =>
      database.transaction((tx) =>
        work({
          ...tx,
          async query(text, values) {
            if (broken.database?.test(text)) die();
            return tx.query(text, values);
          },
        }),
      ),
  };
  const fragileQuestions: Questions = {
    ...questions,
    async writeChanges(...written) {
      if (broken.changes === "before") die();
      await questions.writeChanges(...written);
    },
    async writeEvaluation(...written) {
      if (broken.moves === "before") die();
      await questions.writeEvaluation(...written);
      if (broken.moves === "after") die();
    },
  };
  const store = new ConnectorStore(database, createVault("0".repeat(64)));
  const logger = pino({ level: "silent" });
  return new Journey({
    database: fragileDatabase,
    log: new PostgresLog(database),
    questions: fragileQuestions,
    metrics: createMetrics(),
    lags: { add() {} },
    logger,
    apply: { rules: RULES, bulkEvery: 4 },
    notify: { directory: new ConnectorDirectory({ store, database, logger }), onQueued: () => {} },
    wakeRelay: () => {},
    isWatched: () => false,
    onRejected: () => {},
  });
}

const RULES = {
  readers: createContextReaders(undefined),
  hash: (text: string) => text,
  maxAttributes: 2_000,
  maxValueBytes: 65_536,
  maxEntities: 1_000,
  attributesChanged: "attributes_changed",
  newNames: { perOrganization: 0, perVisitor: 0 },
  mergesPerDay: 100,
  maxAnonymousIds: 100,
  maxSubjectBytes: 1_000_000,
};

/** Sends records in batches of one and applies each, so that as many changes wait to be projected. */
async function apply(entries: Parameters<Sender["send"]>[0]): Promise<void> {
  for (const entry of entries) {
    await sender.send([entry]);
    const log = new PostgresLog(server.database);
    const options = {
      database: server.database,
      log,
      rules: RULES,
      metrics: createMetrics(),
      bulkEvery: 4,
      batchBuffer: new BatchBuffer(),
      lease: UNDISPUTED,
    };
    const applied = await applyNext(options, organizationId, 100);
    expect(applied).toMatchObject({ entries: 1, rejections: [] });
  }
}

/** Relays until no change waits. */
async function relayAll(journey: Journey): Promise<void> {
  while ((await journey.relay(organizationId, UNDISPUTED)) === "worked");
}

async function createSegment(query: object): Promise<string> {
  const answer = await sender.call("POST", "/users_segments", { payload: { name: own, query, predicate: {} } });
  return answer.json().id;
}

/** Sweeps until no segment is due. */
async function sweepAll(journey: Journey): Promise<void> {
  journey.requestSweep(organizationId);
  const isDue = async () =>
    (await listDueSegments(server.database, organizationId, new Date(), SWEEP_PERIODS, 1)).length > 0;
  while (await isDue()) {
    await journey.relay(organizationId, UNDISPUTED);
    await sleep(2);
  }
}

/** How many are in a segment, and the events about entering and leaving it. */
async function outcome(segmentId: string) {
  const sizes = await server.questions.segmentSizes(organizationId, [segmentId]);
  const events = await findAll(server, organizationId, "event", { term: { "properties.segment_id": segmentId } });
  return { members: sizes.get(segmentId) ?? 0, events: events.map(({ report }) => report.event) };
}

const ENTERED_ONCE = { members: 1, events: ["Entered segment"] };

describe("a process that dies", () => {
  test.for<[string, Broken]>([
    ["before the change is written, while its report is evaluated", { changes: "before" }],
    ["before the moves are written", { moves: "before" }],
    ["after the moves are written", { moves: "after" }],
    ["between the evaluation and the cursor", { database: /update project_cursors/ }],
  ])("%s makes no second event", async ([, broken]) => {
    await sweepAll(start());
    const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
    await sweepAll(start());
    await apply([sender.traits({ user: { external_id: own } }, { [`${own}_plan`]: "pro" })]);
    await expect(relayAll(start(broken))).rejects.toThrow("The process died.");
    await relayAll(start());
    expect(await outcome(id)).toEqual(ENTERED_ONCE);
  });

  test("with more changes waiting than one step takes makes no second event either", async () => {
    const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
    await sweepAll(start());
    const ann = { user: { external_id: own } };
    await apply([sender.traits(ann, { [`${own}_plan`]: "pro" })]);
    await apply(Array.from({ length: 20 }, (_, index) => sender.traits(ann, { [`${own}_count`]: index })));
    await expect(relayAll(start({ moves: "before" }))).rejects.toThrow();
    await relayAll(start());
    expect(await outcome(id)).toEqual(ENTERED_ONCE);
  });

  test("in a sweep makes no second event", async () => {
    await apply([sender.traits({ user: { external_id: own } }, { [`${own}_plan`]: "pro" })]);
    await relayAll(start());
    const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
    await expect(sweepAll(start({ moves: "before" }))).rejects.toThrow("The process died.");
    await sweepAll(start());
    await relayAll(start());
    expect(await outcome(id)).toEqual(ENTERED_ONCE);
  });
});

test("the same process goes on after a failure, and makes no second event", async () => {
  const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
  await sweepAll(start());
  await apply([sender.traits({ user: { external_id: own } }, { [`${own}_plan`]: "pro" })]);
  const broken: Broken = { moves: "before" };
  const journey = start(broken);
  await expect(relayAll(journey)).rejects.toThrow("The process died.");
  delete broken.moves;
  await relayAll(journey);
  expect(await outcome(id)).toEqual(ENTERED_ONCE);
});

test("a segment is not to blame when the question engine cannot write what the segment asks about", async () => {
  const id = await createSegment({ has_child: { type: "event", query: { term: { event: own } } } });
  await sweepAll(start());
  await apply([sender.track({ user: { external_id: own } }, own)]);
  await expect(relayAll(start({ changes: "before" }))).rejects.toThrow("The process died.");
  const { rows } = await server.database.query("select problem from segments where id = $1", [id]);
  expect(rows).toEqual([{ problem: null }]);
  await relayAll(start());
  expect(await outcome(id)).toEqual(ENTERED_ONCE);
});
