import { checkQuery, parse } from "@muster/query";
import { loadAttributeTypes } from "../../audience/attribute-definitions.js";
import type { Connector } from "../../domain/connectors/connector.js";
import { type JobObject, targetOf } from "../../domain/jobs/job.js";
import type { ConnectorStore } from "../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../storage/postgres/database.js";
import type { JobRecord } from "../job-record.js";
import type { Jobs } from "../jobs.js";
import type { ExtractParameters } from "./extract-parameters.js";

export interface ExtractsOptions {
  database: Database;
  jobs: Jobs;
  connectors: ConnectorStore;
}

/** A request for an extract. */
export interface ExtractRequest extends Pick<ExtractParameters, "url" | "format" | "fields" | "query" | "csvFormulas"> {
  object: JobObject;
  /** Left out or empty: the objects and the format. */
  name: string | undefined;
  description: string;
}

/** Schedules extracts. */
export class Extracts {
  readonly #options: ExtractsOptions;

  constructor(options: ExtractsOptions) {
    this.#options = options;
  }

  /** Schedules an extract. Refuses a query that the question engine could never answer. */
  async schedule(organizationId: string, connectorId: string, request: ExtractRequest): Promise<JobRecord> {
    const { database, jobs, connectors } = this.#options;
    const { object, name, description, ...rest } = request;
    const connector = await connectors.find(organizationId, connectorId);
    const parameters = { ...rest, ...withoutSecret(rest.url, connector) };
    const target = targetOf(object);
    const attributeTypes = await loadAttributeTypes(database, organizationId);
    checkQuery(parse(parameters.query, { target }), { target, attributeTypes, now: new Date() });
    return jobs.schedule(organizationId, {
      type: "extract",
      object,
      name: name || `${object}.${parameters.format}`,
      description,
      connectorId,
      parameters: parameters satisfies ExtractParameters,
    });
  }
}

/**
 * The address without the secret, if it is one of the connector's own and contains the secret: the library for connectors
 * asks for extracts with such addresses. Jobs are not sealed, so the secret is added again just before the call.
 */
function withoutSecret(
  url: string | null,
  connector: Connector | undefined,
): Pick<ExtractParameters, "url" | "asConnector"> {
  if (url === null || connector?.sourceUrl == null) return { url };
  const address = new URL(url);
  const isOwn = address.origin === new URL(connector.sourceUrl).origin;
  if (!isOwn || address.searchParams.get("secret") !== connector.secret) return { url };
  address.searchParams.delete("secret");
  return { url: address.href, asConnector: true };
}
