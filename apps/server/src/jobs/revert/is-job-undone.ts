import type { Queryable } from "../../storage/postgres/database.js";
import { listReverts } from "../../storage/postgres/jobs/jobs.js";
import { writerOfJob } from "./writer-of-job.js";

/** Whether what a job wrote is undone now: by an undo that is not undone itself. */
export async function isJobUndone(database: Queryable, organizationId: string, writer: string): Promise<boolean> {
  const reverts = await listReverts(database, organizationId, writer);
  const last = reverts.find(({ status }) => status === "completed");
  return last !== undefined && !(await isJobUndone(database, organizationId, writerOfJob(last)));
}
