import type { Logger } from "pino";
import { Loop } from "../../runtime/loop.js";
import type { FileStore } from "../../storage/files/file-store.js";
import type { Database } from "../../storage/postgres/database.js";
import { forgetFile, listExpired } from "../../storage/postgres/jobs/job-files.js";
import { listUnfinished } from "../../storage/postgres/jobs/jobs.js";
import type { ImportFiles } from "../import/import-files.js";
import { uploadOf } from "../import/import-parameters.js";
import { extractFileKey } from "./job-files.js";

export interface FileRemovalOptions {
  database: Database;
  logger: Logger;
  /** Where the files of extracts are. */
  files: FileStore;
  importFiles: ImportFiles;
}

const EVERY_MS = 60 * 60 * 1_000;

/** Removes extracts whose retention is over, and uploads and downloads that no unfinished import needs. */
export function createFileRemoval(options: FileRemovalOptions): Loop {
  return new Loop({
    async step() {
      await removeExpiredFiles(options);
      return EVERY_MS;
    },
    onError: (error) => options.logger.error({ err: error }, "removing expired files failed"),
  });
}

export async function removeExpiredFiles({ database, logger, files, importFiles }: FileRemovalOptions): Promise<void> {
  for (const job of await listExpired(database)) {
    await files.remove(extractFileKey(job));
    await forgetFile(database, job);
    logger.info({ jobId: job.id, organizationId: job.organizationId }, "extract expired");
  }
  const unfinished = await listUnfinished(database);
  // A file is named after its job once the job has begun. Until then an upload has its own name.
  const names = unfinished.flatMap(({ id, url }) => [id, uploadOf(url ?? "") ?? id]);
  await importFiles.removeUnused(new Set(names), Date.now());
}
