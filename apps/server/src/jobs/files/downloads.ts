import { Readable } from "node:stream";
import { Refusal } from "@muster/protocol";
import type { ByteRange } from "../../domain/jobs/byte-range.js";
import type { Job } from "../../domain/jobs/job.js";
import type { FileStore } from "../../storage/files/file-store.js";
import type { ConnectorStore } from "../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../storage/postgres/database.js";
import { readRejectedLines } from "../../storage/postgres/jobs/job-rejections.js";
import { findJob } from "../../storage/postgres/jobs/jobs.js";
import { findOrganization } from "../../storage/postgres/objects/organizations.js";
import type { DownloadLinks, FileOfJob } from "./download-links.js";
import { jobFileFormat, jobFileKey, jobFileName, REJECTED_FILE } from "./job-files.js";

export interface DownloadsOptions {
  database: Database;
  links: DownloadLinks;
  files: FileStore;
  connectors: Pick<ConnectorStore, "find">;
}

const CONTENT_TYPES = {
  csv: "text/csv; charset=utf-8",
  json: "application/x-ndjson",
  parquet: "application/vnd.apache.parquet",
} as const;

/** A file that can be downloaded. */
export interface Download {
  contentType: (typeof CONTENT_TYPES)[keyof typeof CONTENT_TYPES];
  /** Present when the file is stored, so that a part of it can be read. A generated file can only be read whole. */
  stored?: { bytes: number; tag: string };
  /** The whole file, or a range of a stored one. */
  read(range?: ByteRange): Promise<Readable>;
}

/** The files of jobs, for a client that has a signed address: extracts, and the refused lines of imports. */
export class Downloads {
  readonly #options: DownloadsOptions;

  constructor(options: DownloadsOptions) {
    this.#options = options;
  }

  /** Finds the file of a signed address. Refuses an address that is not valid any more, or whose file is gone. */
  async find(wanted: FileOfJob, address: { expires: number; signature: string }): Promise<Download> {
    const { database, links } = this.#options;
    if (!links.check(wanted, address.expires, address.signature, Date.now())) {
      throw new Refusal("forbidden", "The address is not a valid download address, or it has expired.");
    }
    const job = await findJob(database, wanted.organizationId, wanted.jobId);
    if (!job) throw noFile();
    await this.#requireEnabled(job);
    if (wanted.file === REJECTED_FILE) return this.#rejectedLines(job);
    // An erasure ends the retention of a file early.
    if (!job.file || job.file.expiresAt.getTime() <= Date.now()) throw noFile();
    if (wanted.file !== jobFileName(job)) throw noFile();
    return this.#extract(job, job.file.bytes);
  }

  /** A signed address stops working when the credentials that it was made for do. */
  async #requireEnabled({ organizationId, connectorId }: Job): Promise<void> {
    const { database, connectors } = this.#options;
    const organization = await findOrganization(database, organizationId);
    if (!organization) throw noFile();
    if (!organization.enabled) throw new Refusal("organization_disabled", "The organization is disabled.");
    if (connectorId === "") return;
    const connector = await connectors.find(organizationId, connectorId);
    if (!connector?.enabled) {
      throw new Refusal("connector_disabled", "The connector that this file was made for is disabled or removed.");
    }
  }

  #rejectedLines(job: Job): Download {
    const { database } = this.#options;
    return {
      contentType: "application/x-ndjson",
      read: async () => Readable.from(rejectedText(database, job)),
    };
  }

  #extract(job: Job, bytes: number): Download {
    const { files } = this.#options;
    return {
      contentType: CONTENT_TYPES[jobFileFormat(job)],
      stored: { bytes, tag: `"${job.id}"` },
      async read(range) {
        const content = await files.read(jobFileKey(job), range);
        if (!content) throw noFile();
        return content;
      },
    };
  }
}

async function* rejectedText(database: Database, { organizationId, id }: Job): AsyncGenerator<string> {
  for await (const page of readRejectedLines(database, organizationId, id)) {
    yield page.map((line) => `${JSON.stringify(line)}\n`).join("");
  }
}

function noFile(): Refusal {
  return new Refusal("not_found", "There is no such file, or it has been removed.");
}
