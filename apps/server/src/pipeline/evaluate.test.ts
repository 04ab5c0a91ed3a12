import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConnectorDirectory } from "../connectors/connector-directory.js";
import { createContextReaders } from "../context-readers.js";
import type { ClickHouse } from "../engines/clickhouse.js";
import { ConnectorStore } from "../storage/postgres/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";
import { createVault } from "../vault.js";
import { applyNext } from "./apply.js";
import { Arrivals } from "./arrivals.js";
import { Handover } from "./handover.js";
import { type ProjectOptions, projectNext } from "./project.js";
import { Sweeper } from "./sweep.js";

// Nothing works in the background: each test takes the steps itself, and breaks them where it wants to.
let server: TestServer;
let sender: Sender;
let organizationId: string;
let count = 0;
let own: string;

beforeAll(async () => {
  server = await openTestServer({ ROLES: "api,gateway" });
  sender = new Sender(server);
  organizationId = server.first.organization.id;
});

afterAll(() => server.close());

beforeEach(() => {
  own = `t${count++}`;
});

/** A process that has just started, and what may break in it. */
function start(broken: { clickhouse?: RegExp; database?: RegExp } = {}): ProjectOptions {
  const { database, clickhouse } = server;
  const breaking = (pattern: RegExp | undefined, sql: string) => {
    if (pattern?.test(sql)) throw new Error("The process died.");
  };
  const fragileDatabase: Database = {
    ...database,
    async query(text, values) {
      breaking(broken.database, text);
      return database.query(text, values);
    },
  };
  const fragileClickHouse: ClickHouse = {
    ...clickhouse,
    async command(sql, params) {
      breaking(broken.clickhouse, sql);
      return clickhouse.command(sql, params);
    },
  };
  const connectors = new ConnectorStore(database, createVault("0".repeat(64)));
  return {
    database: fragileDatabase,
    clickhouse: fragileClickHouse,
    handover: new Handover(),
    directory: new ConnectorDirectory({ connectors, database, logger: pino({ level: "silent" }) }),
    onQueued: () => {},
    maxAttributes: 2_000,
  };
}

const readers = createContextReaders(undefined);

/** Sends records in batches of one and applies each: as many changes wait to be projected. */
async function apply(entries: Parameters<Sender["send"]>[0]): Promise<void> {
  const limits = { maxAttributes: 2_000, maxValueBytes: 65_536, mergesPerDay: 100, maxAnonymousIds: 100, bulkEvery: 4 };
  for (const entry of entries) {
    await sender.send([entry]);
    const options = { database: server.database, arrivals: new Arrivals(), readers, ...limits };
    const applied = await applyNext(options, organizationId, 100);
    expect(applied).toMatchObject({ entries: 1, rejected: 0 });
  }
}

async function projectAll(options: ProjectOptions): Promise<void> {
  while (await projectNext(options, organizationId));
}

async function createSegment(query: object): Promise<string> {
  const answer = await sender.call("POST", "/users_segments", { payload: { name: own, query, predicate: {} } });
  return answer.json().id;
}

async function sweepAll(options: ProjectOptions): Promise<void> {
  const sweeper = new Sweeper(options);
  while (await sweeper.step(organizationId));
}

/** Who is in a segment, and the events that say how that came. */
async function outcome(segmentId: string) {
  const { clickhouse } = server;
  const params = { org: organizationId, segment: segmentId };
  const [members] = await clickhouse.rows<{ size: number }>(
    "select count() as size from memberships final where org = {org:String} and segment_id = {segment:String}",
    params,
  );
  const events = await clickhouse.rows<{ event: string }>(
    `select event from events final
     where org = {org:String} and properties.segment_id.:String = {segment:String} order by created_at`,
    params,
  );
  return { members: members?.size, events: events.map(({ event }) => event) };
}

const ENTERED_ONCE = { members: 1, events: ["Entered segment"] };

describe("a process that dies", () => {
  test.for<[string, { clickhouse?: RegExp; database?: RegExp }]>([
    ["before the memberships are written", { clickhouse: /^insert into memberships/ }],
    ["between memberships and events", { clickhouse: /Entered segment/ }],
    ["between the evaluation and the cursor", { database: /insert into project_cursors/ }],
  ])("%s makes no second event", async ([, broken]) => {
    await sweepAll(start());
    const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
    await sweepAll(start());
    await apply([sender.traits({ user: { external_id: own } }, { [`${own}_plan`]: "pro" })]);
    await expect(projectNext(start(broken), organizationId)).rejects.toThrow("The process died.");
    await projectAll(start());
    expect(await outcome(id)).toEqual(ENTERED_ONCE);
  });

  test("with more changes waiting than one step takes makes no second event either", async () => {
    const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
    await sweepAll(start());
    const ann = { user: { external_id: own } };
    await apply([sender.traits(ann, { [`${own}_plan`]: "pro" })]);
    await apply(Array.from({ length: 20 }, (_, index) => sender.traits(ann, { [`${own}_count`]: index })));
    await expect(projectNext(start({ clickhouse: /^insert into memberships/ }), organizationId)).rejects.toThrow();
    await projectAll(start());
    expect(await outcome(id)).toEqual(ENTERED_ONCE);
  });

  test("in a sweep makes no second event", async () => {
    await apply([sender.traits({ user: { external_id: own } }, { [`${own}_plan`]: "pro" })]);
    await projectAll(start());
    const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
    const broken = new Sweeper(start({ clickhouse: /^insert into memberships/ }));
    await expect(broken.step(organizationId)).rejects.toThrow("The process died.");
    await sweepAll(start());
    await projectAll(start());
    expect(await outcome(id)).toEqual(ENTERED_ONCE);
  });
});

test("the same process goes on after a failure, and makes no second event", async () => {
  const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
  await sweepAll(start());
  await apply([sender.traits({ user: { external_id: own } }, { [`${own}_plan`]: "pro" })]);
  const broken: { clickhouse?: RegExp } = { clickhouse: /^insert into memberships/ };
  const options = start(broken);
  await expect(projectNext(options, organizationId)).rejects.toThrow("The process died.");
  delete broken.clickhouse;
  await projectAll(options);
  expect(await outcome(id)).toEqual(ENTERED_ONCE);
});
