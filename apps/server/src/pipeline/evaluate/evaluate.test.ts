import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConnectorDirectory } from "../../connectors/connector-directory.js";
import { createVault } from "../../runtime/secrets/vault.js";
import { PostgresLog } from "../../storage/ingest-log/postgres/postgres-log.js";
import { openProjectCursor } from "../../storage/postgres/changes/changes.js";
import { ConnectorStore } from "../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../storage/postgres/database.js";
import { readNotifyCursor } from "../../storage/postgres/delivery/outbox.js";
import type { Questions } from "../../storage/questions/questions.js";
import { findAll } from "../../testing/find-all.js";
import { openIdleServer } from "../../testing/idle-server.js";
import { Sender } from "../../testing/sender.js";
import type { TestServer } from "../../testing/test-server.js";
import { applyNext } from "../apply/apply.js";
import { createContextReaders } from "../apply/context-readers.js";
import { BatchBuffer } from "../buffers/batch-buffer.js";
import { ChangeBuffer } from "../buffers/change-buffer.js";
import { type RelayStepOptions, relayNext } from "../journey.js";
import { ShownStates } from "../notify/shown-states.js";
import { CatchUp } from "../project/catch-up.js";
import { sweepNext } from "./sweep.js";

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
function start(broken: Broken = {}): RelayStepOptions {
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
  const engines = { database: fragileDatabase, questions: fragileQuestions, maxAttributes: 2_000 };
  const logger = pino({ level: "silent" });
  const directory = new ConnectorDirectory({ store, database, logger });
  const notify = { ...engines, directory, shown: new ShownStates(), onQueued: () => {} };
  return { ...engines, changeBuffer: new ChangeBuffer(), lags: { add() {} }, notify, lease: UNDISPUTED, logger };
}

const readers = createContextReaders(undefined);

/** Sends records in batches of one and applies each, so that as many changes wait to be projected. */
async function apply(entries: Parameters<Sender["send"]>[0]): Promise<void> {
  const limits = {
    maxAttributes: 2_000,
    maxValueBytes: 65_536,
    maxEntities: 1_000,
    endUserNewAttributesPerDay: 0,
    mergesPerDay: 100,
    maxAnonymousIds: 100,
    maxSubjectBytes: 1_000_000,
  };
  for (const entry of entries) {
    await sender.send([entry]);
    const rules = { readers, hash: (text: string) => text, ...limits };
    const log = new PostgresLog(server.database);
    const options = {
      database: server.database,
      log,
      rules,
      bulkEvery: 4,
      batchBuffer: new BatchBuffer(),
      lease: UNDISPUTED,
    };
    const applied = await applyNext(options, organizationId, 100);
    expect(applied).toMatchObject({ entries: 1, rejections: [] });
  }
}

/** What the relay does: brings the question engine up to date, then relays the next changes. */
async function relay(options: RelayStepOptions): Promise<boolean> {
  const cursor = await openProjectCursor(server.database, organizationId);
  const notified = await readNotifyCursor(server.database, organizationId);
  const catchUp = new CatchUp(options);
  return (
    (await catchUp.step(organizationId, cursor, options.lease)) ||
    relayNext(options, organizationId, { cursor, notified }, catchUp)
  );
}

async function relayAll(options: RelayStepOptions): Promise<void> {
  while (await relay(options));
}

async function createSegment(query: object): Promise<string> {
  const answer = await sender.call("POST", "/users_segments", { payload: { name: own, query, predicate: {} } });
  return answer.json().id;
}

async function sweepAll(options: RelayStepOptions): Promise<void> {
  while (await sweepNext(options, organizationId));
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
    await expect(relay(start(broken))).rejects.toThrow("The process died.");
    await relayAll(start());
    expect(await outcome(id)).toEqual(ENTERED_ONCE);
  });

  test("with more changes waiting than one step takes makes no second event either", async () => {
    const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
    await sweepAll(start());
    const ann = { user: { external_id: own } };
    await apply([sender.traits(ann, { [`${own}_plan`]: "pro" })]);
    await apply(Array.from({ length: 20 }, (_, index) => sender.traits(ann, { [`${own}_count`]: index })));
    await expect(relay(start({ moves: "before" }))).rejects.toThrow();
    await relayAll(start());
    expect(await outcome(id)).toEqual(ENTERED_ONCE);
  });

  test("in a sweep makes no second event", async () => {
    await apply([sender.traits({ user: { external_id: own } }, { [`${own}_plan`]: "pro" })]);
    await relayAll(start());
    const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
    await expect(sweepNext(start({ moves: "before" }), organizationId)).rejects.toThrow("The process died.");
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
  const options = start(broken);
  await expect(relay(options)).rejects.toThrow("The process died.");
  delete broken.moves;
  await relayAll(options);
  expect(await outcome(id)).toEqual(ENTERED_ONCE);
});

test("a segment is not to blame when the question engine cannot write what the segment asks about", async () => {
  const id = await createSegment({ has_child: { type: "event", query: { term: { event: own } } } });
  await sweepAll(start());
  await apply([sender.track({ user: { external_id: own } }, own)]);
  await expect(relay(start({ changes: "before" }))).rejects.toThrow("The process died.");
  const { rows } = await server.database.query("select problem from segments where id = $1", [id]);
  expect(rows).toEqual([{ problem: null }]);
  await relayAll(start());
  expect(await outcome(id)).toEqual(ENTERED_ONCE);
});
