import { once } from "node:events";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createMetrics } from "../../runtime/measures/metrics.js";
import type { Database } from "../../storage/postgres/database.js";
import { createJob } from "../../storage/postgres/jobs/jobs.js";
import { createOrganization } from "../../storage/postgres/objects/organizations.js";
import { openTestDatabase } from "../../testing/test-database.js";
import type { JobHandler, JobRun } from "./job-handler.js";
import { JobRunner } from "./job-runner.js";

const PATIENTLY = { timeout: 20_000, interval: 50 };

let database: Database;
let runners: JobRunner[];
beforeEach(async () => {
  database = await openTestDatabase();
  const { id } = await createOrganization(database, { namespace: "acme", name: "Acme" });
  await createJob(database, id, { type: "export", object: "users", name: "", connectorId: "c", parameters: {} });
  runners = [];
});
afterEach(async () => {
  for (const runner of runners) await runner.stop();
  await database.close();
});

/** A process whose jobs run until they are stopped. */
function start(holder: string) {
  const runs: JobRun[] = [];
  const [discard, leave] = [vi.fn(async () => {}), vi.fn(async () => {})];
  const handler: JobHandler = {
    async run(run) {
      runs.push(run);
      await once(run.signal, "abort");
      throw new Error("It was stopped.");
    },
    discard,
    leave,
  };
  const runner = new JobRunner({
    database,
    logger: pino({ level: "silent" }),
    metrics: createMetrics(),
    handlers: { import: handler, extract: handler, export: handler, rewrite: handler, revert: handler },
    slots: 2,
    holder,
    onEnd() {},
  });
  runners.push(runner);
  runner.start();
  return { runner, runs, discard, leave };
}

/** What the database sees of a process that is suspended: the lease of its job ends. */
const expire = () => database.query("update jobs set leased_until = now() - interval '1 second'");

test("a process that was suspended does not begin its own job a second time", async () => {
  const { runner, runs } = start("one");
  await vi.waitFor(() => expect(runs).toHaveLength(1), PATIENTLY);
  // Before the job renews its lease, which it does every three seconds, the process looks for jobs many times.
  for (let looks = 0; looks < 20; looks++) {
    await expire();
    runner.wake();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(runs).toHaveLength(1);
  expect(runs[0]?.signal.aborted).toBe(false);
});

test("a process whose job another one has taken over stops its run, and leaves the files of the job alone", async () => {
  const first = start("one");
  await vi.waitFor(() => expect(first.runs).toHaveLength(1), PATIENTLY);
  const second = start("two");
  await vi.waitFor(async () => {
    await expire();
    second.runner.wake();
    expect(second.runs).toHaveLength(1);
  }, PATIENTLY);
  await vi.waitFor(() => expect(first.leave).toHaveBeenCalledOnce(), PATIENTLY);
  expect(first.runs[0]?.signal.aborted).toBe(true);
  expect(first.discard).not.toHaveBeenCalled();
  expect(second.runs[0]?.signal.aborted).toBe(false);
});
