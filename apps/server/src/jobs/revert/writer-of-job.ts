import type { Job } from "../../domain/jobs/job.js";

/** The source of the values that a job writes, as cells have it. */
export function writerOfJob({ id, connectorId }: Pick<Job, "id" | "connectorId">): string {
  return `${connectorId}/${id}`;
}
