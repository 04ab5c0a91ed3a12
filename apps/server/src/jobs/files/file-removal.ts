import { HOUR_MS } from "@muster/protocol";
import type { Logger } from "pino";
import { Loop } from "../../runtime/loops/loop.js";
import type { FileStore } from "../../storage/files/file-store.js";
import type { Database } from "../../storage/postgres/database.js";
import { forgetFile, listExpired } from "../../storage/postgres/jobs/job-files.js";
import { listUnfinished } from "../../storage/postgres/jobs/jobs.js";
import { uploadOf } from "../parameters/import-parameters.js";
import type { ImportFiles } from "./import-files.js";
import { jobFileKey } from "./job-files.js";

export interface FileRemovalOptions {
  database: Database;
  logger: Logger;
  /** Where the files of extracts are. */
  files: FileStore;
  importFiles: ImportFiles;
}

// Files with erased subjects must be removed soon, and the query for them is cheap.
const LOOK_EVERY_MS = 5_000;
const UNUSED_EVERY_MS = HOUR_MS;

/** Removes extracts whose retention is over, and uploads and downloads that no unfinished import needs. */
export function createFileRemoval(options: FileRemovalOptions): Loop {
  let unusedAt = Number.NEGATIVE_INFINITY;
  return new Loop({
    async step() {
      await removeExpired(options);
      if (performance.now() - unusedAt >= UNUSED_EVERY_MS) {
        await removeUnused(options);
        unusedAt = performance.now();
      }
      return LOOK_EVERY_MS;
    },
    onError: (error) => options.logger.error({ err: error }, "removing expired files failed"),
  });
}

async function removeExpired({ database, logger, files }: FileRemovalOptions): Promise<void> {
  for (const job of await listExpired(database)) {
    await files.remove(jobFileKey(job));
    await forgetFile(database, job);
    logger.info({ jobId: job.id, organizationId: job.organizationId }, "extract expired");
  }
}

export function removeUnused({ database, importFiles }: FileRemovalOptions): Promise<void> {
  return importFiles.removeUnused(() => readNeededNames(database), Date.now());
}

/** Removes the uploads of an organization from before a time that no unfinished import needs. Returns how many. */
export function removeUploadsBefore(
  { database, importFiles }: Pick<FileRemovalOptions, "database" | "importFiles">,
  organizationId: string,
  before: Date,
): Promise<number> {
  return importFiles.removeUploadsBefore(organizationId, before, () => readNeededNames(database));
}

/** A file is named after its job once the job has begun. Until then an upload has its own name. */
async function readNeededNames(database: Database): Promise<ReadonlySet<string>> {
  const unfinished = await listUnfinished(database);
  return new Set(unfinished.flatMap(({ id, url }) => [id, uploadOf(url ?? "") ?? id]));
}
