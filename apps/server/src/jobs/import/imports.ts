import type { Job as JobRecord } from "@muster/protocol/api/jobs";
import type { JobObject } from "../../domain/jobs/job.js";
import type { ImportFiles } from "../files/import-files.js";
import type { Jobs } from "../jobs.js";
import { type ImportParameters, uploadOf } from "../parameters/import-parameters.js";

/** A request for an import. */
export interface ImportRequest extends ImportParameters {
  url: string;
  object: JobObject;
  /** Left out or empty: the name of the file. */
  name: string | undefined;
  description: string;
  /** Left out: now. */
  dueAt: Date | undefined;
}

const MAX_NAME_LENGTH = 500;

/** Schedules imports. */
export class Imports {
  readonly #jobs: Pick<Jobs, "schedule">;
  readonly #files: Pick<ImportFiles, "requireUpload">;

  constructor(jobs: Pick<Jobs, "schedule">, files: Pick<ImportFiles, "requireUpload">) {
    this.#jobs = jobs;
    this.#files = files;
  }

  /** Schedules an import. An upload that the organization does not have is refused here, not by the job. */
  async schedule(organizationId: string, connectorId: string, request: ImportRequest): Promise<JobRecord> {
    const { object, name, description, dueAt, ...parameters } = request;
    await this.#files.requireUpload(organizationId, request.url);
    return this.#jobs.schedule(organizationId, {
      type: "import",
      object,
      name: name || fileName(parameters.url),
      description,
      connectorId,
      parameters: parameters satisfies ImportParameters,
      dueAt,
    });
  }
}

function fileName(url: string): string {
  if (uploadOf(url) !== undefined) return "upload";
  const last = new URL(url).pathname.split("/").findLast((part) => part !== "") ?? "";
  try {
    return decodeURIComponent(last).slice(0, MAX_NAME_LENGTH) || new URL(url).host;
  } catch {
    // The name holds a percent sign that encodes nothing.
    return last.slice(0, MAX_NAME_LENGTH);
  }
}
