import { setTimeout as wait } from "node:timers/promises";
import type { Dashboard } from "./dashboard.js";

interface Job {
  id: string;
  status: string;
  error: string | null;
}

/** Starts a job and waits until it has ended. */
export async function runJob(dashboard: Dashboard, path: string, body: object): Promise<Job> {
  let job = await dashboard.api<Job>("POST", path, body);
  while (job.status === "scheduled" || job.status === "running") {
    await wait(50);
    job = await dashboard.api<Job>("GET", `/${job.id}`);
  }
  if (job.status !== "completed") throw new Error(`The job has ${job.status}: ${job.error}`);
  return job;
}
