import { Refusal } from "@muster/protocol";
import type { Job as JobRecord } from "@muster/protocol/api/jobs";
import { checkQuery, parse } from "@muster/query";
import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import { type JobObject, targetOf } from "../../domain/jobs/job.js";
import type { Database } from "../../storage/postgres/database.js";
import { listPurposes, readPurposes } from "../../storage/postgres/objects/purposes.js";
import type { Jobs } from "../jobs.js";
import type { ExtractParameters } from "../parameters/extract-parameters.js";
import { NO_EVENTS_FOR_PURPOSES } from "./withhold.js";

export interface ExtractsOptions {
  database: Database;
  jobs: Jobs;
}

/** A request for an extract. */
export interface ExtractRequest
  extends Pick<ExtractParameters, "url" | "format" | "fields" | "query" | "csvFormulas" | "purposes"> {
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
    await this.#checkPurposes(organizationId, connectorId, object, parameters.purposes ?? []);
    return jobs.schedule(organizationId, {
      type: "extract",
      object,
      name: name || `${object}.${parameters.format}`,
      description,
      connectorId,
      parameters: parameters satisfies ExtractParameters,
    });
  }

  async #checkPurposes(
    organizationId: string,
    connectorId: string,
    object: JobObject,
    given: readonly string[],
  ): Promise<void> {
    const { database } = this.#options;
    const known = given.length === 0 ? [] : (await listPurposes(database, organizationId)).map(({ name }) => name);
    const missing = given.find((name) => !known.includes(name));
    if (missing !== undefined) throw new Refusal("invalid_parameter", `There is no purpose "${missing}".`);
    const purposes = [...given, ...(await readPurposes(database, organizationId, connectorId))];
    if (object === "events" && purposes.length > 0) throw new Refusal("conflict", NO_EVENTS_FOR_PURPOSES);
  }
}
