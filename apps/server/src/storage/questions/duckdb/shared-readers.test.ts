import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "@muster/query";
import { expect, onTestFinished, test } from "vitest";
import { type AskOptions, OF_PIPELINE } from "../asking.js";
import type { Questions } from "../questions.js";
import { duckdbAsking } from "./duckdb-asking.js";
import { duckdbComputing } from "./duckdb-computing.js";
import { duckdbMemberships } from "./duckdb-memberships.js";
import { Engine } from "./engine/engine.js";
import { OrganizationFiles } from "./engine/organization-files.js";
import type { PoolOptions } from "./engine/pool.js";

const BUSY = "0190000000000100000000aa";
const OTHERS = ["0190000000000100000000ab", "0190000000000100000000ac"];
const SUBJECT = "0190000000000200000000aa";

/** Runs for minutes. */
const SLOW = { sql: "select count(*) as count from range(100000000000) t(n) where n % 7 = 3", params: {} };

const EVERYBODY = {
  target: "user",
  query: parse({}, { target: "user" }),
  attributeTypes: { typeOf: () => undefined },
  now: new Date(),
} as const;

// Each reader blocks a thread of Node, which has four when nothing else is set.
const READERS = { size: 3, forPipeline: 1, forNewcomers: 1 };

async function openFiles(readers: PoolOptions = READERS): Promise<OrganizationFiles> {
  const folder = await mkdtemp(join(tmpdir(), "muster-readers-"));
  const engine = await Engine.open({
    memoryBytes: 256 * 1024 * 1024,
    threads: 1,
    reservedBytes: 0,
    spillFolder: join(folder, "spill"),
    timeLimitMs: 10 * 60_000,
    readers,
    slowQueryMs: 10 * 60_000,
    onSlow() {},
  });
  const files = new OrganizationFiles(engine, { folder, onOpened() {}, onProblem() {} });
  onTestFinished(async () => {
    await files.close();
    await engine.close();
    await rm(folder, { recursive: true });
  });
  return files;
}

test("fifty slow questions of one organization hold up neither others nor its own pipeline", async () => {
  const files = await openFiles();
  const questions: Pick<Questions, "count" | "membershipsOf"> = { ...duckdbAsking(files), ...duckdbMemberships(files) };
  const callers = Array.from({ length: 50 }, () => new AbortController());
  const leave = () => {
    for (const caller of callers) caller.abort(new Error("The caller has gone."));
  };
  let ended = 0;
  const slow = callers.map(({ signal }) =>
    files
      .use(BUSY, (file) => file.rows(SLOW, { signal }))
      .finally(() => {
        ended += 1;
      }),
  );
  const outcomes = Promise.allSettled(slow);
  onTestFinished(leave);

  expect(await questions.membershipsOf(BUSY, [SUBJECT])).toEqual(new Map([[SUBJECT, []]]));
  for (const organizationId of OTHERS) {
    // Each waits for the one before it, and none for the busy organization.
    expect(await Promise.all([1, 2, 3].map(() => questions.count(organizationId, EVERYBODY)))).toEqual([0, 0, 0]);
  }
  expect(ended).toBe(0);

  leave();
  const reasons = (await outcomes).map((outcome) => outcome.status === "rejected" && String(outcome.reason));
  expect(new Set(reasons)).toEqual(new Set(["Error: The caller has gone."]));
  expect(await questions.count(BUSY, EVERYBODY)).toBe(0);
}, 60_000);

test("clients who compute, as previews do, wait in the share of their organization, and the pipeline does not", async () => {
  const files = await openFiles();
  const questions = { ...duckdbAsking(files), ...duckdbComputing(files) };
  const [slow, caller] = [new AbortController(), new AbortController()];
  const { signal } = caller;
  const { target: _, ...context } = EVERYBODY;
  const among = { subjectType: "user", ids: [SUBJECT] } as const;
  const aggregate = {
    aggregate: "count",
    query: parse({}, { target: "event" }),
    property: undefined,
    withinMs: undefined,
    type: "numeric",
  } as const;
  const aggregateUsers = { aggregate: "count", query: undefined, attribute: undefined, type: "numeric" } as const;
  const ask = (options: AskOptions) => [
    questions.aggregateEvents(BUSY, [aggregate], among, context, options),
    questions.aggregateUsers(BUSY, [aggregateUsers], [SUBJECT], context, options),
    questions.idsAfter(BUSY, EVERYBODY, { after: "", limit: 1 }, options),
    questions.count(BUSY, EVERYBODY, options),
  ];
  const held = Promise.allSettled([files.use(BUSY, (file) => file.rows(SLOW, { signal: slow.signal }))]);
  onTestFinished(() => slow.abort(new Error("The test has ended.")));

  let answered = 0;
  const ofClient = ask({ signal }).map((question) => question.finally(() => (answered += 1)));
  const outcomes = Promise.allSettled(ofClient);
  expect(await Promise.all(ask(OF_PIPELINE))).toHaveLength(ofClient.length);
  expect(answered).toBe(0);

  caller.abort(new Error("The caller has gone."));
  expect(await outcomes).toEqual(
    ofClient.map(() => ({ status: "rejected", reason: new Error("The caller has gone.") })),
  );
  slow.abort(new Error("The caller has gone."));
  await held;
}, 60_000);
