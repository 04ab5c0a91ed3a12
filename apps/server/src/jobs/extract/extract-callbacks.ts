import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { loadSegmentLists } from "../../audience/segment-record.js";
import type { Connector } from "../../domain/connectors/connector.js";
import { withCredentials } from "../../domain/connectors/connector-url.js";
import type { Job, JobObject } from "../../domain/jobs/job.js";
import type { Addresses } from "../../domain/organizations/addresses.js";
import type { OutboundAnswer, OutboundRequest } from "../../outbound/exchange.js";
import type { GuardedFetch } from "../../outbound/guarded-fetch.js";
import type { ConnectorStore } from "../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../storage/postgres/database.js";
import { claimCallbacks, saveCallback } from "../../storage/postgres/jobs/job-files.js";
import { findOrganization } from "../../storage/postgres/objects/organizations.js";
import { extractFileName } from "../runner/job-files.js";
import type { DownloadLinks } from "./download-links.js";
import type { ExtractParameters } from "./extract-parameters.js";

export interface ExtractCallbacksOptions {
  database: Database;
  logger: Logger;
  connectors: ConnectorStore;
  addresses: Addresses;
  links: DownloadLinks;
  /** For addresses that somebody gave us. */
  guardedFetch: GuardedFetch;
  /** For the address of a connector that the operator installed. */
  trustedFetch(url: string, request: OutboundRequest): Promise<OutboundAnswer>;
}

// About a day in all: whoever is away over night is still told.
const RETRY_MS = [5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 14_400_000, 43_200_000, 43_200_000];
const CALLS_AT_ONCE = 10;

const OBJECT_TYPES: Record<JobObject, string> = { users: "user_report", accounts: "account_report", events: "event" };
const CHANNELS: Record<JobObject, string> = {
  users: "user:extract",
  accounts: "account:extract",
  events: "event:extract",
};

/** Tells those who asked for an extract where its file is, again and again until they have taken it. */
export class ExtractCallbacks {
  readonly #options: ExtractCallbacksOptions;

  constructor(options: ExtractCallbacksOptions) {
    this.#options = options;
  }

  /** Makes the calls that are due. */
  async callDue(): Promise<void> {
    const due = await claimCallbacks(this.#options.database, CALLS_AT_ONCE);
    await Promise.all(due.map((job) => this.#call(job)));
  }

  async #call(job: Job): Promise<void> {
    const { database, logger } = this.#options;
    const problem = await this.#post(job).catch((error: unknown) => (error as Error).message);
    const retryMs = problem === undefined ? null : (RETRY_MS[job.callback.attempts - 1] ?? null);
    await saveCallback(database, job, { error: problem ?? null, retryMs });
    const facts = { jobId: job.id, organizationId: job.organizationId, attempts: job.callback.attempts };
    if (problem === undefined) logger.info(facts, "extract told");
    else logger.warn({ ...facts, problem, retryMs }, "extract could not be told");
  }

  /** What went wrong, in a sentence; undefined when the call was taken. */
  async #post(job: Job): Promise<string | undefined> {
    const { database, connectors, links, guardedFetch, trustedFetch } = this.#options;
    // Only the route stores parameters, and it stores these.
    const { url, format, callback, asConnector } = job.parameters as ExtractParameters;
    if (url === null || !job.file) return undefined;
    const connector = await connectors.find(job.organizationId, job.connectorId);
    const target = asConnector && connector ? await this.#withCredentials(url, connector) : url;
    const isTrusted = connector?.sourceUrl != null && new URL(connector.sourceUrl).origin === new URL(url).origin;
    const body = {
      url: links.create({ ...ids(job), file: extractFileName(job) }, job.file.expiresAt),
      format,
      object_type: OBJECT_TYPES[job.object],
      channel: CHANNELS[job.object],
      notification_id: randomUUID(),
      job_id: job.id,
      ...(await loadSegmentLists(database, job.organizationId)),
      ...callback,
    };
    const answer = await (isTrusted ? trustedFetch : guardedFetch)(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    answer.body.destroy();
    return answer.status >= 200 && answer.status < 300 ? undefined : `It answered with status ${answer.status}.`;
  }

  /** Added only now: a secret that was replaced meanwhile is not sent, and none is stored with the job. */
  async #withCredentials(url: string, connector: Connector): Promise<string> {
    const { database, addresses } = this.#options;
    const organization = await findOrganization(database, connector.organizationId);
    if (!organization) return url;
    return withCredentials(new URL(url), connector, addresses.organizationHost(organization.namespace)).href;
  }
}

function ids({ organizationId, id }: Job) {
  return { organizationId, jobId: id };
}
