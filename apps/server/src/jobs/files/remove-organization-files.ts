import type { JobType } from "../../domain/jobs/job.js";
import type { FileStore } from "../../storage/files/file-store.js";
import type { Database } from "../../storage/postgres/database.js";
import { forgetFile } from "../../storage/postgres/jobs/job-files.js";
import { listJobs } from "../../storage/postgres/jobs/jobs.js";
import type { JobHandler } from "../runner/job-handler.js";
import type { ImportFiles } from "./import-files.js";
import { jobFileKey } from "./job-files.js";

export interface RemoveOrganizationFilesOptions {
  database: Database;
  /** Where the files of extracts are. */
  files: FileStore;
  importFiles: ImportFiles;
  handlers: Record<JobType, JobHandler>;
}

const PAGE = 500;

/** Removes all files of an organization: finished extracts, the files of jobs that have not ended, and uploads. */
export async function removeOrganizationFiles(
  { database, files, importFiles, handlers }: RemoveOrganizationFilesOptions,
  organizationId: string,
): Promise<void> {
  for (let offset = 0; ; offset += PAGE) {
    const { jobs } = await listJobs(database, organizationId, {}, { limit: PAGE, offset });
    for (const job of jobs) {
      await handlers[job.type].discard(job);
      if (!job.file) continue;
      await files.remove(jobFileKey(job));
      await forgetFile(database, job);
    }
    if (jobs.length < PAGE) break;
  }
  await importFiles.removeUploads(organizationId);
}
