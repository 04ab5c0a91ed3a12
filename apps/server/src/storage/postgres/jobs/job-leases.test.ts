import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Job, JobType, NewJob } from "../../../domain/jobs/job.js";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../database.js";
import { createOrganization } from "../objects/organizations.js";
import { expireExtracts } from "./job-files.js";
import {
  completeJob,
  failJob,
  type Lease,
  nextDueMs,
  releaseJob,
  releaseLeases,
  renewLease,
  saveCheckpoint,
  takeJob,
} from "./job-leases.js";
import { cancelJob, createJob, findJob } from "./jobs.js";

const PROGRESS = { processed: 5, total: 10, rejected: 1, processedBytes: 50, totalBytes: 100 };

let database: Database;
let organizationId: string;
beforeEach(async () => {
  database = await openTestDatabase();
  organizationId = (await createOrganization(database, { namespace: "acme", name: "Acme" })).id;
});
afterEach(() => database.close());

function create(fields: Partial<NewJob> = {}): Promise<Job> {
  const job: NewJob = { type: "import", object: "users", name: "job", connectorId: "c", parameters: {}, ...fields };
  return createJob(database, organizationId, job);
}

function take(type: JobType, holder: string, running: string[] = [], served: string[] = []): Promise<Job | undefined> {
  return takeJob(database, { type, holder, running, served, slots: 3 });
}

const leaseOf = (job: Job, holder: string): Lease => ({ organizationId, jobId: job.id, holder });
const find = (job: Job) => findJob(database, organizationId, job.id);

/** Ends all leases as time would. */
async function expireLeases(): Promise<void> {
  await database.query("update jobs set leased_until = now() - interval '1 second'");
}

test("a process does not take a job that it still runs, also when the lease has ended, and another process does", async () => {
  const job = await create();
  expect(await take("import", "one")).toMatchObject({ id: job.id });
  await expireLeases();
  expect(await take("import", "one", [job.id])).toBeUndefined();
  expect(await take("import", "two")).toMatchObject({ id: job.id });
});

test("jobs of a type are taken in the order of their due times, each once, and not before they are due", async () => {
  const second = await create({ dueAt: new Date(Date.now() - 1_000) });
  const first = await create({ dueAt: new Date(Date.now() - 2_000) });
  await create({ dueAt: new Date(Date.now() + 60_000) });
  await create({ type: "extract" });
  const taken = [await take("import", "one"), await take("import", "two"), await take("import", "one")];
  expect(taken.map((job) => job?.id)).toEqual([first.id, second.id, undefined]);
  expect(taken[0]).toMatchObject({ status: "running", attempts: 1 });
});

test("processes that take jobs at the same time get different jobs", async () => {
  await Promise.all(Array.from({ length: 4 }, () => create()));
  const taken = await Promise.all(Array.from({ length: 6 }, (_, n) => take("import", `holder ${n}`)));
  const ids = taken.flatMap((job) => job?.id ?? []);
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(4);
});

test("the next job is one of the organization with the fewest running jobs of the type, in all processes together", async () => {
  const other = (await createOrganization(database, { namespace: "globex", name: "Globex" })).id;
  for (let n = 0; n < 4; n++) await create({ dueAt: new Date(Date.now() - 60_000) });
  await create({ type: "extract" });
  for (let n = 0; n < 2; n++) {
    const job: NewJob = { type: "import", object: "users", name: "job", connectorId: "c", parameters: {} };
    await createJob(database, other, job);
  }
  expect(await take("extract", "one")).toMatchObject({ organizationId });
  expect(await take("import", "one")).toMatchObject({ organizationId });
  expect(await take("import", "two")).toMatchObject({ organizationId: other });
  // Both run one: it is the turn of the one that this process has not taken a job of for longer.
  expect(await take("import", "two", [], [organizationId, other])).toMatchObject({ organizationId });
  expect(await take("import", "two", [], [other, organizationId])).toMatchObject({ organizationId: other });
  await expireLeases();
  expect(await take("import", "three")).toMatchObject({ organizationId });
});

test("one organization takes all slots of a process but one, unless it is the only one", async () => {
  for (let n = 0; n < 4; n++) await create();
  const running: string[] = [];
  for (let n = 0; n < 3; n++) running.push((await take("import", "one", running))!.id);
  const other = (await createOrganization(database, { namespace: "globex", name: "Globex" })).id;
  expect(await take("import", "one", running)).toBeUndefined();
  expect(await take("import", "one", running.slice(1))).toBeUndefined();
  await database.query("update organizations set enabled = false where id = $1", [other]);
  expect(await take("import", "one", running.slice(1))).toMatchObject({ organizationId });
});

test("after its lease ends a job is taken by another process, and the first one cannot write any more", async () => {
  const job = await create();
  await take("import", "one");
  await expireLeases();
  expect(await take("import", "two")).toMatchObject({ id: job.id, attempts: 2 });
  const lost = leaseOf(job, "one");
  expect(await renewLease(database, lost)).toBe(false);
  expect(await saveCheckpoint(database, lost, PROGRESS, { line: 5 }, { isFurther: true })).toBe(false);
  expect(await completeJob(database, lost, { result: {} })).toBe("lost");
  await failJob(database, lost, "failed");
  await releaseJob(database, lost, { afterMs: 0, error: "failed", isAttempt: true });
  expect(await find(job)).toMatchObject({ status: "running", error: null, progress: { processed: 0 } });
  expect(await renewLease(database, leaseOf(job, "two"))).toBe(true);
});

test("a canceled job ends the lease of its runner", async () => {
  const job = await create();
  await take("import", "one");
  expect(await cancelJob(database, organizationId, job.id)).toBe(true);
  expect(await renewLease(database, leaseOf(job, "one"))).toBe(false);
  expect(await completeJob(database, leaseOf(job, "one"), { result: {} })).toBe("lost");
  expect(await find(job)).toMatchObject({ status: "canceled" });
});

test("a checkpoint stores the progress and resets the attempts, and the next runner gets it", async () => {
  const job = await create();
  await take("import", "one");
  expect(await saveCheckpoint(database, leaseOf(job, "one"), PROGRESS, { line: 5 }, { isFurther: true })).toBe(true);
  await releaseLeases(database, "one");
  expect(await take("import", "two")).toMatchObject({
    progress: PROGRESS,
    checkpoint: { line: 5 },
    attempts: 1,
  });
});

test("a released job counts as an attempt only if it was one, and waits for its pause", async () => {
  const job = await create();
  await take("import", "one");
  await releaseJob(database, leaseOf(job, "one"), { afterMs: 0, error: null, isAttempt: false });
  expect(await find(job)).toMatchObject({ attempts: 0 });
  await take("import", "one");
  await releaseJob(database, leaseOf(job, "one"), { afterMs: 60_000, error: "failed", isAttempt: true });
  expect(await find(job)).toMatchObject({ attempts: 1, error: "failed" });
  expect(await take("import", "one")).toBeUndefined();
});

test("the next due time is that of a scheduled job or of the end of a lease, whichever comes first", async () => {
  expect(await nextDueMs(database)).toBeUndefined();
  await create({ dueAt: new Date(Date.now() + 60_000) });
  expect(await nextDueMs(database)).toBeGreaterThan(50_000);
  const job = await create();
  await take("import", "one");
  const untilLeaseEnds = await nextDueMs(database);
  expect(untilLeaseEnds).toBeGreaterThan(5_000);
  expect(untilLeaseEnds).toBeLessThanOrEqual(15_000);
  await completeJob(database, leaseOf(job, "one"), { result: {} });
  expect(await nextDueMs(database)).toBeGreaterThan(50_000);
});

test("an extract is not completed when somebody was erased after its file was begun", async () => {
  const job = await create({ type: "extract" });
  await take("extract", "one");
  const file = { bytes: 1, expiresAt: new Date(Date.now() + 60_000), erasedUntil: 6 };
  await database.query("insert into erased (organization_id, id, sequence) values ($1, 'gone', 7)", [organizationId]);
  expect(await completeJob(database, leaseOf(job, "one"), { result: {}, file })).toBe("erased");
  expect(await find(job)).toMatchObject({ status: "running" });
  const again = { ...file, erasedUntil: 7 };
  expect(await completeJob(database, leaseOf(job, "one"), { result: {}, file: again })).toBe("completed");
});

test("an extract is not completed while an erasure that is not committed yet cannot see its file", async () => {
  const job = await create({ type: "extract" });
  await take("extract", "one");
  const file = { bytes: 1, expiresAt: new Date(Date.now() + 60_000), erasedUntil: 0 };
  const completing = await database.transaction(async (tx) => {
    await tx.query("insert into erased (organization_id, id, sequence) values ($1, 'gone', 7)", [organizationId]);
    expect(await expireExtracts(tx, organizationId, "user")).toBe(0);
    const completed = completeJob(database, leaseOf(job, "one"), { result: {}, file });
    await vi.waitUntil(async () => {
      const { rowCount } = await database.query(
        "select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
      );
      return rowCount === 1;
    }, 10_000);
    // In an object, because the transaction must not wait for it.
    return { completed };
  });
  expect(await completing.completed).toBe("erased");
});
