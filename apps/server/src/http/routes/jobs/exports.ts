import { Refusal, typeOfId } from "@muster/protocol";
import { readManifest } from "@muster/protocol/manifest";
import { Type } from "typebox";
import type { Connectors } from "../../../connectors/connectors.js";
import type { Connector } from "../../../domain/connectors/connector.js";
import { connectorUrl } from "../../../domain/connectors/connector-url.js";
import type { NewJob } from "../../../domain/jobs/job.js";
import type { ExportParameters } from "../../../jobs/export/export-job.js";
import type { ExtractParameters } from "../../../jobs/extract/extract-parameters.js";
import type { Jobs } from "../../../jobs/jobs.js";
import type { Database } from "../../../storage/postgres/database.js";
import { findSegment } from "../../../storage/postgres/segments/segments.js";
import type { App } from "../../app-type.js";
import { findOwnConnector } from "../connectors/find-connector.js";
import { JobRecord, jobRecord } from "./job-record.js";

export interface ExportRoutesOptions {
  database: Database;
  connectors: Connectors;
  jobs: Jobs;
}

type Objects = "users" | "accounts";

/** Where connectors that work through files are told about one. */
const BATCH: Record<Objects, { tag: string; path: string }> = {
  users: { tag: "batch", path: "/batch" },
  accounts: { tag: "batch-accounts", path: "/batch-accounts" },
};

/** Telling a connector about the members of a segment, or about everybody. */
export function exportRoutes(app: App, { database, connectors, jobs }: ExportRoutesOptions): void {
  app.post(
    "/:id/export",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "Tell a connector about the members of a segment, or about everybody",
        description:
          "With the tag `kraken-exports` it gets notifications with `is_export`; with `batch` or `batch-accounts` the address of a file.",
        params: Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) }),
        body: Type.Object({
          object: Type.Enum(["users", "accounts"], { default: "users" }),
          segment_id: Type.Optional(Type.String({ description: "Everybody when left out." })),
        }),
        response: { 201: JobRecord },
      },
    },
    async ({ caller, params, body }, reply) => {
      const connector = await findOwnConnector(connectors, params.id, caller);
      const { segment_id: segmentId } = body;
      const object: Objects = body.object === "accounts" ? "accounts" : "users";
      if (segmentId !== undefined) await requireSegment(database, connector, segmentId, object);
      const job = await jobs.schedule(caller.organization.id, jobOf(connector, object, segmentId));
      reply.status(201);
      return jobRecord(job, jobs.links, Date.now());
    },
  );
}

function jobOf(connector: Connector, object: Objects, segmentId: string | undefined): NewJob {
  const { tags } = readManifest(connector.manifest);
  const { tag, path } = BATCH[object];
  const shared = { object, connectorId: connector.id, name: `${object} to ${connector.name}` };
  if (tags.includes("kraken-exports")) {
    const parameters: ExportParameters = { connectorId: connector.id, segmentId: segmentId ?? null };
    return { ...shared, type: "export", parameters };
  }
  if (!tags.includes(tag) || connector.sourceUrl === null) {
    throw new Refusal("conflict", `The connector takes no exports of ${object}: it has no tag for that.`);
  }
  const url = connectorUrl(connector, path);
  if (segmentId !== undefined) url.searchParams.set("segment_id", segmentId);
  const parameters: ExtractParameters = {
    url: url.href,
    format: "json",
    fields: null,
    query: segmentId === undefined ? { match_all: {} } : { term: { segment_ids: segmentId } },
    asConnector: true,
  };
  return { ...shared, type: "extract", parameters };
}

async function requireSegment(database: Database, { organizationId }: Connector, id: string, object: Objects) {
  if (typeOfId(id) !== `${object}_segment` || !(await findSegment(database, organizationId, id))) {
    throw new Refusal("invalid_parameter", `There is no segment of ${object} "${id.slice(0, 100)}".`, {
      details: [{ path: "body.segment_id", message: `is no segment of ${object}` }],
    });
  }
}
