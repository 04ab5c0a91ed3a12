import type { Brand } from "@muster/protocol";
import { Type } from "typebox";
import { JOB_STATUSES } from "../../../domain/jobs/job.js";
import type { Jobs } from "../../../jobs/jobs.js";
import type { Database } from "../../../storage/postgres/database.js";
import { findJob, listJobs } from "../../../storage/postgres/jobs/jobs.js";
import type { App } from "../../app-type.js";
import type { ObjectHandler } from "../object-handler.js";
import { describePage, limitsOf, PageQuery } from "../pagination.js";
import { JobRecord, jobRecord } from "./job-record.js";

export interface JobRoutesOptions {
  database: Database;
  jobs: Jobs;
  brand: Brand;
}

/** The imports and extracts of an organization. */
export function jobRoutes(app: App, { database, jobs, brand }: JobRoutesOptions): void {
  app.get(
    "/jobs",
    {
      config: { access: "connector" },
      schema: {
        tags: ["jobs"],
        summary: "Imports and extracts, the latest first",
        querystring: Type.Object({
          ...PageQuery.properties,
          type: Type.Optional(Type.Enum(["import", "extract"])),
          status: Type.Optional(Type.Enum([...JOB_STATUSES])),
        }),
        response: { 200: Type.Array(JobRecord) },
      },
    },
    async (request, reply) => {
      const { query, caller } = request;
      const { total, jobs: found } = await listJobs(database, caller.organization.id, query, limitsOf(query));
      describePage(request, reply, brand, query, total);
      return found.map((job) => jobRecord(job, jobs.links, Date.now()));
    },
  );
}

/** Jobs under `/:id`; removing one cancels it. */
export function jobObjects({ database, jobs }: Omit<JobRoutesOptions, "brand">): ObjectHandler {
  return {
    async read(id, { organization }) {
      const job = await findJob(database, organization.id, id);
      return job && jobRecord(job, jobs.links, Date.now());
    },
    async remove(id, { organization }) {
      const job = await jobs.cancel(organization.id, id);
      return job ? jobRecord(job, jobs.links, Date.now()) : false;
    },
  };
}
