import { type Channel, Refusal, typeOfId } from "@muster/protocol";
import type { Job as JobRecord } from "@muster/protocol/api/jobs";
import { readManifest } from "@muster/protocol/manifest";
import { checkQuery, parse } from "@muster/query";
import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import type { Connector } from "../../domain/connectors/connector.js";
import { connectorUrl } from "../../domain/connectors/connector-url.js";
import { type NewJob, subjectTypeOf } from "../../domain/jobs/job.js";
import type { Database } from "../../storage/postgres/database.js";
import { findSegment } from "../../storage/postgres/segments/segments.js";
import type { Jobs } from "../jobs.js";
import type { ExtractParameters } from "../parameters/extract-parameters.js";
import type { ExportParameters } from "./export-job.js";

export interface ExportsOptions {
  database: Database;
  jobs: Jobs;
}

/** Whom an export sends: the members of a segment, or those that a query selects. */
export interface ExportSelection {
  segmentId?: string | undefined;
  query?: Record<string, unknown> | undefined;
}

export type ExportObject = "users" | "accounts";

/** The tags of connectors that take files, and where these connectors get the address of a file. */
const BATCH: Record<ExportObject, { tag: string; channel: Channel; usualPath: string }> = {
  users: { tag: "batch", channel: "user:update", usualPath: "/batch" },
  accounts: { tag: "batch-accounts", channel: "account:update", usualPath: "/batch-accounts" },
};

/** Schedules exports: a connector gets the members of a segment, what a query selects, or all users or accounts. */
export class Exports {
  readonly #options: ExportsOptions;

  constructor(options: ExportsOptions) {
    this.#options = options;
  }

  /** Schedules an export to a connector. Everybody is exported when neither a segment nor a query is given. */
  async schedule(connector: Connector, object: ExportObject, selected: ExportSelection): Promise<JobRecord> {
    const { database, jobs } = this.#options;
    const { segmentId, query } = selected;
    const { organizationId } = connector;
    if (segmentId !== undefined) await requireSegment(database, organizationId, object, segmentId);
    if (query) {
      const target = subjectTypeOf(object);
      const attributeTypes = await loadAttributeTypes(database, organizationId);
      checkQuery(parse(query, { target }), { target, attributeTypes, now: new Date() });
    }
    return jobs.schedule(organizationId, jobFor(connector, object, selected));
  }
}

/** A connector with the tag `kraken-exports` gets messages; one with a batch tag gets the address of a file. */
function jobFor(connector: Connector, object: ExportObject, { segmentId, query }: ExportSelection): NewJob {
  const { tags, batches } = readManifest(connector.manifest);
  const { tag, channel, usualPath } = BATCH[object];
  const shared = { object, connectorId: connector.id, name: `${object} to ${connector.name}` };
  if (tags.includes("kraken-exports")) {
    const parameters: ExportParameters = { connectorId: connector.id, segmentId: segmentId ?? null, query };
    return { ...shared, type: "export", parameters };
  }
  if (!tags.includes(tag) || connector.sourceUrl === null) {
    const missing = `its manifest has neither the tag ${tag} nor kraken-exports`;
    throw new Refusal("conflict", `The connector takes no exports of ${object}: ${missing}.`);
  }
  const url = connectorUrl(connector, batches.find(({ channels }) => channels?.includes(channel))?.url ?? usualPath);
  if (segmentId !== undefined) url.searchParams.set("segment_id", segmentId);
  const parameters: ExtractParameters = {
    url: url.href,
    format: "json",
    fields: null,
    query: query ?? (segmentId === undefined ? { match_all: {} } : { term: { segment_ids: segmentId } }),
    asConnector: true,
  };
  return { ...shared, type: "extract", parameters };
}

async function requireSegment(
  database: Database,
  organizationId: string,
  object: ExportObject,
  id: string,
): Promise<void> {
  if (typeOfId(id) !== `${object}_segment` || !(await findSegment(database, organizationId, id))) {
    throw new Refusal("invalid_parameter", `There is no segment of ${object} "${id.slice(0, 100)}".`, {
      details: [{ path: "body.segment_id", message: `is no segment of ${object}` }],
    });
  }
}
