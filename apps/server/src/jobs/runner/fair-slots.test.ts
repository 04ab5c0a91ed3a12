import { once } from "node:events";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { JobType } from "../../domain/jobs/job.js";
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
  runners = [];
});
afterEach(async () => {
  for (const runner of runners) await runner.stop();
  await database.close();
});

/** An organization with so many jobs. Those of the organization that is created first are due first. */
async function openOrganization(namespace: string, jobs: number, type: JobType = "import"): Promise<string> {
  const { id } = await createOrganization(database, { namespace, name: namespace });
  for (let made = 0; made < jobs; made++) {
    await createJob(database, id, { type, object: "users", name: "", connectorId: "c", parameters: {} });
  }
  return id;
}

/** A process whose jobs run until the test ends them. */
function start(slots: number, holder = "one") {
  const runs: JobRun[] = [];
  const ends: (() => void)[] = [];
  const handler: JobHandler = {
    async run(run) {
      runs.push(run);
      const isStopped = once(run.signal, "abort").then(() => {
        throw new Error("It was stopped.");
      });
      await Promise.race([isStopped, new Promise<void>((resolve) => ends.push(resolve))]);
      return { result: {} };
    },
    discard: async () => {},
    leave: async () => {},
  };
  const runner = new JobRunner({
    database,
    logger: pino({ level: "silent" }),
    metrics: createMetrics(),
    handlers: { import: handler, extract: handler, export: handler, rewrite: handler, revert: handler },
    slots,
    holder,
    onEnd() {},
  });
  runners.push(runner);
  runner.start();
  return { owners: () => runs.map(({ job }) => job.organizationId), end: (run: number) => ends[run]?.() };
}

test("jobs of one organization that do not end leave a slot for the others, in each process", async () => {
  const greedy = await openOrganization("greedy", 10);
  const modest = await openOrganization("modest", 1);
  const one = start(2);
  await vi.waitFor(() => expect(one.owners().sort()).toEqual([greedy, modest].sort()), PATIENTLY);
  const two = start(3, "two");
  await vi.waitFor(() => expect(two.owners()).toEqual([greedy, greedy]), PATIENTLY);
  await createJob(database, modest, { type: "import", object: "users", name: "", connectorId: "c", parameters: {} });
  runners[1]?.wake();
  await vi.waitFor(() => expect(two.owners()).toEqual([greedy, greedy, modest]), PATIENTLY);
});

test("with one slot, organizations take turns, however many jobs one of them has", async () => {
  const greedy = await openOrganization("greedy", 4);
  const modest = await openOrganization("modest", 2);
  const { owners, end } = start(1);
  for (let run = 0; run < 6; run++) {
    await vi.waitFor(() => expect(owners()).toHaveLength(run + 1), PATIENTLY);
    end(run);
  }
  expect(owners()).toEqual([greedy, modest, greedy, modest, greedy, greedy]);
});

test("an organization that is alone has all slots, and each type of jobs has slots of its own", async () => {
  const alone = await openOrganization("alone", 3);
  const { owners } = start(2);
  await vi.waitFor(() => expect(owners()).toEqual([alone, alone]), PATIENTLY);
  const other = await openOrganization("other", 3, "extract");
  runners[0]?.wake();
  await vi.waitFor(() => expect(owners()).toEqual([alone, alone, other]), PATIENTLY);
});
