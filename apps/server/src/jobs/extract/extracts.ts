import type { Job as JobRecord } from "@muster/protocol/api/jobs";
import { checkQuery, parse } from "@muster/query";
import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import { type JobObject, targetOf } from "../../domain/jobs/job.js";
import type { Database } from "../../storage/postgres/database.js";
import type { Jobs } from "../jobs.js";
import type { ExtractParameters } from "../parameters/extract-parameters.js";

export interface ExtractsOptions {
  database: Database;
  jobs: Jobs;
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
    const { database, jobs } = this.#options;
    const { object, name, description, ...parameters } = request;
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
