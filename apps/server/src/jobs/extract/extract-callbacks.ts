import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { loadSegmentLists } from "../../audience/segments/segment-lists.js";
import type { Connector } from "../../domain/connectors/connector.js";
import { ownUrl, withCredentials } from "../../domain/connectors/connector-url.js";
import type { Job, JobObject } from "../../domain/jobs/job.js";
import type { Addresses } from "../../domain/organizations/addresses.js";
import type { OutboundAnswer, OutboundRequest } from "../../outbound/exchange.js";
import type { GuardedFetch } from "../../outbound/guarded-fetch.js";
import { SharedLoop } from "../../runtime/loops/shared-loop.js";
import type { Vault } from "../../runtime/secrets/vault.js";
import type { ConnectorStore } from "../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../storage/postgres/database.js";
import { claimCallback, saveCallback } from "../../storage/postgres/jobs/job-files.js";
import { findOrganization } from "../../storage/postgres/objects/organizations.js";
import type { DownloadLinks } from "../files/download-links.js";
import { jobFileName } from "../files/job-files.js";
import { addressOf } from "../job-address.js";
import type { ExtractParameters } from "../parameters/extract-parameters.js";

export interface ExtractCallbacksOptions {
  database: Database;
  vault: Vault;
  logger: Logger;
  connectors: ConnectorStore;
  addresses: Addresses;
  links: DownloadLinks;
  /** For addresses that a client gave. */
  guardedFetch: GuardedFetch;
  /** For the address of a connector that the operator installed. */
  trustedFetch(url: string, request: OutboundRequest): Promise<OutboundAnswer>;
}

// About a day in all, so that a receiver that is down over night still gets its call.
const RETRY_MS = [5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 14_400_000, 43_200_000, 43_200_000];
const CALLS_AT_ONCE = 10;
const CALLS_OF_ONE = 2;
const CALL_EVERY_MS = 10_000;

const OBJECT_TYPES: Record<JobObject, string> = { users: "user_report", accounts: "account_report", events: "event" };
const CHANNELS: Record<JobObject, string> = {
  users: "user:extract",
  accounts: "account:extract",
  events: "event:extract",
};

/** Calls the address that an extract was requested with and says where its file is. Calls that fail are repeated. */
export class ExtractCallbacks {
  readonly #options: ExtractCallbacksOptions;
  readonly #loop: SharedLoop<Job>;

  constructor(options: ExtractCallbacksOptions) {
    this.#options = options;
    this.#loop = new SharedLoop({
      places: CALLS_AT_ONCE,
      placesOfOne: CALLS_OF_ONE,
      lookEveryMs: CALL_EVERY_MS,
      take: (withoutOrganizations) => claimCallback(options.database, withoutOrganizations),
      work: (job) => this.#call(job),
      onError: (error) => options.logger.error({ err: error }, "calls about finished extracts failed"),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Looks for calls that are due now. */
  wake(): void {
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #call(job: Job): Promise<void> {
    const { database, logger } = this.#options;
    const problem = await this.#post(job).catch((error: unknown) => (error as Error).message);
    const retryMs = problem === undefined ? null : (RETRY_MS[job.callback.attempts - 1] ?? null);
    await saveCallback(database, job, { error: problem ?? null, retryMs });
    const facts = { jobId: job.id, organizationId: job.organizationId, attempts: job.callback.attempts };
    if (problem === undefined) logger.info(facts, "call about an extract was taken");
    else logger.warn({ ...facts, problem, retryMs }, "call about an extract failed");
  }

  /** Makes the call. Returns a sentence that says what went wrong, or undefined when the call succeeded. */
  async #post(job: Job): Promise<string | undefined> {
    const { database, vault, connectors, links, guardedFetch, trustedFetch } = this.#options;
    // Every extract is scheduled with these parameters.
    const { format, callback, asConnector } = job.parameters as ExtractParameters;
    const url = addressOf(vault, job);
    if (url === null || !job.file) return undefined;
    const connector = await connectors.find(job.organizationId, job.connectorId);
    const own = connector && ownUrl(connector, new URL(url))?.href;
    const address = own ?? url;
    const target = asConnector && connector ? await this.#withCredentials(address, connector) : address;
    const { segments, accounts_segments } = await loadSegmentLists(database, job.organizationId);
    const body = {
      url: links.create({ ...ids(job), file: jobFileName(job) }, job.file.expiresAt),
      format,
      object_type: OBJECT_TYPES[job.object],
      channel: CHANNELS[job.object],
      notification_id: randomUUID(),
      job_id: job.id,
      segments,
      accounts_segments,
      ...callback,
    };
    const answer = await (own === undefined ? guardedFetch : trustedFetch)(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    answer.body.destroy();
    return answer.status >= 200 && answer.status < 300 ? undefined : `It answered with status ${answer.status}.`;
  }

  /**
   * Adds the credentials just before the call, so that no secret is stored with the job and a replaced one is not sent.
   */
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
